package dev.millrace.bench.serve;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import dev.millrace.bench.compare.RawInputs;
import java.io.IOException;
import java.nio.FloatBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/** ONNX Runtime through its Java package, whose runs block: threads are lent to its clients. */
final class OnnxRuntimeServer implements Server {
    private static final OrtLoggingLevel LOGGED = OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR;
    private static final String NAME = "serve";

    private final OrtEnvironment environment;
    private final ExecutorService callers;
    private final List<Served> sessions = new ArrayList<>();

    private record Served(OrtSession session, Map<String, OnnxTensor> inputs, String output, Checks checks) {}

    /**
     * @param callers threads that call {@code run}
     * @param shared whether all sessions share one pool of threads, or have a pool each as is its default
     * @param threads of the shared pool; 0 for as many as it takes by itself
     */
    OnnxRuntimeServer(List<ServedFiles> files, int callers, boolean shared, int threads)
            throws OrtException, IOException {
        this.callers = Executors.newFixedThreadPool(callers);
        environment = shared ? sharing(threads) : OrtEnvironment.getEnvironment(LOGGED, NAME);
        try (var options = new OrtSession.SessionOptions()) {
            if (shared) {
                options.disablePerSessionThreads();
            }
            for (ServedFiles each : files) {
                OrtSession session = environment.createSession(each.model().toString(), options);
                String output = session.getOutputNames().iterator().next();
                sessions.add(new Served(session, inputs(each.inputs()), output, new Checks()));
            }
        }
    }

    private static OrtEnvironment sharing(int threads) throws OrtException {
        try (var options = new OrtEnvironment.ThreadingOptions()) {
            if (threads > 0) {
                options.setGlobalIntraOpNumThreads(threads);
            }
            return OrtEnvironment.getEnvironment(LOGGED, NAME, options);
        }
    }

    private Map<String, OnnxTensor> inputs(Path file) throws OrtException, IOException {
        var inputs = new LinkedHashMap<String, OnnxTensor>();
        for (RawInputs.Raw raw : RawInputs.read(file)) {
            OnnxJavaType type = OnnxJavaType.valueOf(raw.type());
            inputs.put(raw.name(), OnnxTensor.createTensor(environment, raw.bytes(), raw.dims(), type));
        }
        return inputs;
    }

    @Override
    public void begin(int session, Client client) {
        callers.execute(() -> client.answered(run(sessions.get(session))));
    }

    private static @Nullable Throwable run(Served served) {
        try (OrtSession.Result result = served.session().run(served.inputs())) {
            return served.checks().isDue() ? served.checks().check(numbers(result, served.output())) : null;
        } catch (OrtException | RuntimeException e) {
            return e;
        }
    }

    private static float[] numbers(OrtSession.Result result, String output) {
        if (result.get(output).orElseThrow() instanceof OnnxTensor tensor) {
            FloatBuffer buffer = tensor.getFloatBuffer();
            float[] numbers = new float[buffer.remaining()];
            buffer.get(numbers);
            return numbers;
        }
        throw new IllegalStateException(output + " is no tensor");
    }

    @Override
    public void replace(int session) {
        throw new UnsupportedOperationException("nothing of ONNX Runtime's replaces a session under load");
    }

    @Override
    public void close() throws OrtException {
        callers.shutdown();
        for (Served each : sessions) {
            each.inputs().values().forEach(OnnxTensor::close);
            each.session().close();
        }
    }
}
