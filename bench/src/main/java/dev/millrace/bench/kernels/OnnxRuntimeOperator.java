package dev.millrace.bench.kernels;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A session of ONNX Runtime with one small model: all its optimisations, inputs and outputs bound to memory once, and
 * workers that do not spin while it is this engine's turn.
 */
final class OnnxRuntimeOperator implements AutoCloseable {
    private final OrtSession session;
    private final Map<String, OnnxTensor> inputs = new LinkedHashMap<>();
    private final Map<String, OnnxTensor> outputs = new LinkedHashMap<>();
    private final Map<String, Tensor> answers = new LinkedHashMap<>();

    /** @param like tensors of the types and shapes of the outputs */
    OnnxRuntimeOperator(ReferenceModel model, Map<String, Tensor> like, int threads) throws OrtException {
        OrtEnvironment environment = OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR, "bench");
        try (var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(threads);
            options.setInterOpNumThreads(1);
            options.setOptimizationLevel(OrtSession.SessionOptions.OptLevel.ALL_OPT);
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR);
            options.addConfigEntry("session.force_spinning_stop", "1");
            session = environment.createSession(model.bytes(), options);
        }
        for (Map.Entry<String, Tensor> input : model.inputs().entrySet()) {
            inputs.put(input.getKey(), view(environment, input.getValue()));
        }
        for (Map.Entry<String, Tensor> output : like.entrySet()) {
            Tensor tensor =
                    Tensor.allocate(output.getValue().type(), output.getValue().shape());
            answers.put(output.getKey(), tensor);
            outputs.put(output.getKey(), view(environment, tensor));
        }
    }

    private static OnnxTensor view(OrtEnvironment environment, Tensor tensor) throws OrtException {
        ByteBuffer bytes = tensor.segment().asByteBuffer().order(ByteOrder.nativeOrder());
        return OnnxTensor.createTensor(environment, bytes, tensor.shape().toArray(), typeOf(tensor.type()));
    }

    private static OnnxJavaType typeOf(ElementType type) {
        return OnnxJavaType.valueOf(type.name());
    }

    void run() {
        try {
            session.run(inputs, outputs).close();
        } catch (OrtException failure) {
            throw new IllegalStateException("ONNX Runtime failed", failure);
        }
    }

    /** The outputs of the last run. */
    Map<String, Tensor> answers() {
        return answers;
    }

    @Override
    public void close() throws OrtException {
        inputs.values().forEach(OnnxTensor::close);
        outputs.values().forEach(OnnxTensor::close);
        session.close();
    }
}
