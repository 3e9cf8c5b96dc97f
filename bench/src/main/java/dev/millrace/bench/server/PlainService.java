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
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A service that an application writes by hand: the JDK's HTTP server, virtual threads, and sessions of ONNX Runtime. A body is
 * the bytes of the numbers alone, and so is an answer, which is less work than the protocol of the model server.
 */
final class PlainService implements AutoCloseable {
    private static final int OK = 200;
    private static final int FAILED = 500;

    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final OrtSession sum;
    private final OrtSession sentences;

    PlainService(Path repository) throws IOException, OrtException {
        sum = session(repository, ServedFolder.SUM);
        sentences = session(repository, ServedFolder.SENTENCES);
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext(path(ServedFolder.SUM), exchange -> answer(exchange, this::sum));
        server.createContext(path(ServedFolder.SENTENCES), exchange -> answer(exchange, this::sentence));
        server.start();
    }

    private OrtSession session(Path repository, String model) throws OrtException {
        return environment.createSession(ServedFolder.file(repository, model).toString());
    }

    static String path(String model) {
        return "/" + model;
    }

    int port() {
        return server.getAddress().getPort();
    }

    private interface Handler {
        byte[] answer(ByteBuffer body) throws OrtException;
    }

    private static void answer(HttpExchange exchange, Handler handler) throws IOException {
        try (exchange) {
            ByteBuffer body =
                    ByteBuffer.wrap(exchange.getRequestBody().readAllBytes()).order(ByteOrder.LITTLE_ENDIAN);
            byte[] answer = handler.answer(body);
            exchange.sendResponseHeaders(OK, answer.length);
            exchange.getResponseBody().write(answer);
        } catch (OrtException | RuntimeException e) {
            exchange.sendResponseHeaders(FAILED, -1);
        }
    }

    private byte[] sum(ByteBuffer body) throws OrtException {
        FloatBuffer numbers = body.asFloatBuffer();
        int half = numbers.remaining() / 2;
        long[] shape = {half};
        try (var a = OnnxTensor.createTensor(environment, numbers.slice(0, half), shape);
                var b = OnnxTensor.createTensor(environment, numbers.slice(half, half), shape);
                OrtSession.Result result = sum.run(Map.of("a", a, "b", b))) {
            return bytes(result);
        }
    }

    private byte[] sentence(ByteBuffer body) throws OrtException {
        LongBuffer tokens = body.asLongBuffer();
        long[] shape = {1, tokens.remaining()};
        long[] ones = new long[tokens.remaining()];
        java.util.Arrays.fill(ones, 1);
        try (var ids = OnnxTensor.createTensor(environment, tokens, shape);
                var mask = OnnxTensor.createTensor(environment, LongBuffer.wrap(ones), shape);
                var types = OnnxTensor.createTensor(environment, LongBuffer.wrap(new long[ones.length]), shape)) {
            var inputs = new HashMap<String, OnnxTensorLike>();
            inputs.put("input_ids", ids);
            inputs.put("attention_mask", mask);
            inputs.put("token_type_ids", types);
            try (OrtSession.Result result = sentences.run(inputs)) {
                return bytes(result);
            }
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
        sum.close();
        sentences.close();
    }
}
