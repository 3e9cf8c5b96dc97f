package dev.millrace.bench.server;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxTensorLike;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A service that an application writes by hand: the JDK's HTTP server, virtual threads, and sessions of ONNX Runtime. A body is
 * the bytes of the numbers alone, and so is an answer, which is less work than the protocol of the model server.
 */
final class PlainService implements AutoCloseable {
    private static final int OK = 200;
    private static final int FAILED = 500;
    private static final int STATE = 256;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final List<OrtSession> sessions = new ArrayList<>();
    /** The state of each sequence of speech after its last chunk. */
    private final Map<Long, float[]> states = new ConcurrentHashMap<>();

    /** Serves those of its models that the repository has. */
    PlainService(Path repository) throws IOException, OrtException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        serve(repository, ServedFolder.SUM, this::sum);
        serve(repository, ServedFolder.SENTENCES, this::sentence);
        serve(repository, ServedFolder.SPEECH, this::speech);
        server.start();
    }

    private void serve(Path repository, String model, Handler handler) throws OrtException {
        Path file = ServedFolder.file(repository, model);
        if (Files.exists(file)) {
            OrtSession session = environment.createSession(file.toString());
            sessions.add(session);
            server.createContext(path(model), exchange -> answer(exchange, session, handler));
        }
    }

    static String path(String model) {
        return "/" + model;
    }

    int port() {
        return server.getAddress().getPort();
    }

    private interface Handler {
        byte[] answer(OrtSession session, ByteBuffer body) throws OrtException;
    }

    private static void answer(HttpExchange exchange, OrtSession session, Handler handler) throws IOException {
        try (exchange) {
            ByteBuffer body =
                    ByteBuffer.wrap(exchange.getRequestBody().readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            byte[] answer = handler.answer(session, body);
            exchange.sendResponseHeaders(OK, answer.length);
            exchange.getResponseBody().write(answer);
        } catch (OrtException | RuntimeException e) {
            exchange.sendResponseHeaders(FAILED, -1);
        }
    }

    private byte[] sum(OrtSession session, ByteBuffer body) throws OrtException {
        FloatBuffer numbers = body.asFloatBuffer();
        int half = numbers.remaining() / 2;
        long[] shape = {half};
        try (var a = OnnxTensor.createTensor(environment, numbers.slice(0, half), shape);
                var b = OnnxTensor.createTensor(environment, numbers.slice(half, half), shape);
                OrtSession.Result result = session.run(Map.of("a", a, "b", b))) {
            return bytes(result);
        }
    }

    private byte[] sentence(OrtSession session, ByteBuffer body) throws OrtException {
        LongBuffer tokens = body.asLongBuffer();
        long[] shape = {1, tokens.remaining()};
        long[] ones = new long[tokens.remaining()];
        Arrays.fill(ones, 1);
        try (var ids = OnnxTensor.createTensor(environment, tokens, shape);
                var mask = OnnxTensor.createTensor(environment, LongBuffer.wrap(ones), shape);
                var types = OnnxTensor.createTensor(environment, LongBuffer.wrap(new long[ones.length]), shape)) {
            var inputs = new HashMap<String, OnnxTensorLike>();
            inputs.put("input_ids", ids);
            inputs.put("attention_mask", mask);
            inputs.put("token_type_ids", types);
            try (OrtSession.Result result = session.run(inputs)) {
                return bytes(result);
            }
        }
    }

    private byte[] speech(OrtSession session, ByteBuffer body) throws OrtException {
        long sequence = body.getLong();
        boolean start = body.getLong() != 0;
        float[] state = start ? new float[STATE] : states.get(sequence);
        if (state == null) {
            throw new IllegalStateException("sequence " + sequence + " has not begun");
        }
        long[] shape = {1, Requests.SAMPLES};
        try (var samples = OnnxTensor.createTensor(
                        environment, body.slice().order(body.order()).asFloatBuffer(), shape);
                var past = OnnxTensor.createTensor(environment, FloatBuffer.wrap(state), new long[] {2, 1, STATE / 2});
                var rate = OnnxTensor.createTensor(
                        environment, LongBuffer.wrap(new long[] {Requests.SAMPLES_A_SECOND}), new long[0]);
                OrtSession.Result result = session.run(Map.of("input", samples, "state", past, "sr", rate))) {
            if (!(result.get(1) instanceof OnnxTensor next)) {
                throw new IllegalStateException("the state is no tensor");
            }
            next.getFloatBuffer().get(state);
            states.put(sequence, state);
            return bytes(result);
        }
    }

    private static byte[] bytes(OrtSession.Result result) throws OrtException {
        if (!(result.get(0) instanceof OnnxTensor tensor)) {
            throw new IllegalStateException("the output is no tensor");
        }
        ByteBuffer numbers = tensor.getByteBuffer();
        byte[] bytes = new byte[numbers.remaining()];
        numbers.get(bytes);
        return bytes;
    }

    @Override
    public void close() throws OrtException {
        server.stop(0);
        threads.close();
        for (OrtSession each : sessions) {
            each.close();
        }
    }
}
