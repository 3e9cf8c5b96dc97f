package dev.millrace.bench.server;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxTensorLike;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtSession;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.LongBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Sessions of ONNX Runtime as an application has them behind its service. A request is the bytes of the numbers alone, and so is
 * an answer, which is less work than the protocol of the model server.
 */
public final class PlainModels implements AutoCloseable {
    private static final int STATE = 256;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final Map<String, Served> models = new HashMap<>();
    /** The state of each sequence of speech after its last chunk. */
    private final Map<Long, float[]> states = new ConcurrentHashMap<>();

    private interface Handler {
        byte[] answer(OrtSession session, ByteBuffer numbers) throws OrtException;
    }

    private record Served(OrtSession session, Handler handler) {}

    /** Opens those of its models that the repository has. */
    public PlainModels(Path repository) throws OrtException {
        open(repository, ServedFolder.SUM, this::sum);
        open(repository, ServedFolder.SENTENCES, this::sentence);
        open(repository, ServedFolder.SPEECH, this::speech);
    }

    private void open(Path repository, String model, Handler handler) throws OrtException {
        Path file = ServedFolder.file(repository, model);
        if (Files.exists(file)) {
            models.put(model, new Served(environment.createSession(file.toString()), handler));
        }
    }

    /** Returns the names of the models, each of which is a path of the service. */
    public Set<String> names() {
        return models.keySet();
    }

    /** Returns the answer of a model to the body of a request. */
    public byte[] answer(String model, byte[] body) throws OrtException {
        Served served = models.get(model);
        if (served == null) {
            throw new IllegalArgumentException("no model " + model);
        }
        return served.handler.answer(served.session, ByteBuffer.wrap(body).order(ByteOrder.LITTLE_ENDIAN));
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
        for (Served each : models.values()) {
            each.session.close();
        }
    }
}
