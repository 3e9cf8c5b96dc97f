package dev.millrace.bench.compare;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** ONNX Runtime, with its Java package, all its optimisations, and workers that do not spin while it is our turn. */
public final class OnnxRuntime implements Contender {
    private static final Map<ElementType, OnnxJavaType> TYPES = new EnumMap<>(Map.of(
            ElementType.FLOAT, OnnxJavaType.FLOAT,
            ElementType.DOUBLE, OnnxJavaType.DOUBLE,
            ElementType.INT8, OnnxJavaType.INT8,
            ElementType.UINT8, OnnxJavaType.UINT8,
            ElementType.INT16, OnnxJavaType.INT16,
            ElementType.INT32, OnnxJavaType.INT32,
            ElementType.INT64, OnnxJavaType.INT64,
            ElementType.BOOL, OnnxJavaType.BOOL,
            ElementType.FLOAT16, OnnxJavaType.FLOAT16,
            ElementType.BFLOAT16, OnnxJavaType.BFLOAT16));

    /** ONNX Runtime 1.29 ends a process by a segmentation fault whose command line has more bytes than some 3,980. */
    private static final int MOST_COMMAND = 3900;

    private final OrtEnvironment environment = environment();
    private final Path model;
    private final int threads;
    private final OrtSession.SessionOptions.OptLevel level;
    private @Nullable OrtSession session;
    private final Map<Inputs, Map<String, OnnxTensor>> views = new IdentityHashMap<>();

    public OnnxRuntime(Path model, int threads, OrtSession.SessionOptions.OptLevel level) {
        this.model = model;
        this.threads = threads;
        this.level = level;
    }

    @Override
    public void create() throws OrtException {
        close();
        try (var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            options.setOptimizationLevel(level);
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            options.addConfigEntry("session.force_spinning_stop", "1");
            session = environment.createSession(model.toString(), options);
        }
    }

    private static OrtEnvironment environment() {
        String command = ProcessHandle.current().info().commandLine().orElse("");
        requireShort(command.length());
        return OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR, "bench");
    }

    /** Throws where ONNX Runtime would end this process because of its command line. */
    static void requireShort(int command) {
        if (command > MOST_COMMAND) {
            throw EngineException.invalidArgument("ONNX Runtime ends processes with a command line of more than "
                    + MOST_COMMAND + " bytes; name fewer models at once");
        }
    }

    private OrtSession session() {
        return Objects.requireNonNull(session);
    }

    @Override
    public void run(Inputs inputs) throws OrtException {
        session().run(tensors(inputs)).close();
    }

    @Override
    public Map<String, Tensor> answer(Inputs inputs) throws OrtException {
        var answer = new LinkedHashMap<String, Tensor>();
        try (OrtSession.Result result = session().run(tensors(inputs))) {
            for (Map.Entry<String, OnnxValue> output : result) {
                if (output.getValue() instanceof OnnxTensor tensor) {
                    answer.put(output.getKey(), copyOf(tensor));
                }
            }
        }
        return answer;
    }

    private static Tensor copyOf(OnnxTensor tensor) {
        ElementType type = null;
        for (Map.Entry<ElementType, OnnxJavaType> entry : TYPES.entrySet()) {
            if (entry.getValue() == tensor.getInfo().type) {
                type = entry.getKey();
            }
        }
        if (type == null) {
            throw EngineException.notImplemented("ONNX Runtime answers with type " + tensor.getInfo().type);
        }
        ByteBuffer bytes = tensor.getByteBuffer();
        Shape shape = Shape.of(tensor.getInfo().getShape());
        return Tensor.copyOf(Tensor.wrap(type, shape, MemorySegment.ofBuffer(bytes)));
    }

    /** ONNX Runtime's view of the inputs, made once for the same inputs. */
    private Map<String, OnnxTensor> tensors(Inputs inputs) throws OrtException {
        Map<String, OnnxTensor> known = views.get(inputs);
        if (known != null) {
            return known;
        }
        var tensors = new LinkedHashMap<String, OnnxTensor>();
        for (Map.Entry<String, Datum> input : inputs.asMap().entrySet()) {
            Tensor tensor = (Tensor) input.getValue();
            OnnxJavaType type = TYPES.get(tensor.type());
            if (type == null) {
                throw EngineException.notImplemented("ONNX Runtime is not given inputs of type " + tensor.type());
            }
            ByteBuffer bytes = tensor.segment().asByteBuffer().order(ByteOrder.nativeOrder());
            tensors.put(
                    input.getKey(),
                    OnnxTensor.createTensor(environment, bytes, tensor.shape().toArray(), type));
        }
        views.put(inputs, tensors);
        return tensors;
    }

    @Override
    public void close() throws OrtException {
        views.values().forEach(tensors -> tensors.values().forEach(OnnxTensor::close));
        views.clear();
        if (session != null) {
            session.close();
            session = null;
        }
    }
}
