package dev.millrace.session.operators;

import ai.onnxruntime.OnnxJavaType;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** ONNX Runtime, asked once. */
final class OnnxRuntimeAnswers {
    private OnnxRuntimeAnswers() {}

    /** @param places outputs that are written into the memory of inputs */
    static Map<String, Tensor> run(byte[] model, Map<String, Tensor> inputs, Map<String, String> places)
            throws OrtException {
        OrtEnvironment environment =
                OrtEnvironment.getEnvironment(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL, "operators");
        var given = new LinkedHashMap<String, OnnxTensor>();
        try (var options = new OrtSession.SessionOptions()) {
            options.setIntraOpNumThreads(1);
            options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_FATAL);
            for (Map.Entry<String, Tensor> input : inputs.entrySet()) {
                Tensor value = input.getValue();
                boolean written = places.containsValue(input.getKey());
                given.put(input.getKey(), tensor(environment, written ? Tensor.copyOf(value) : value));
            }
            try (OrtSession session = environment.createSession(model, options);
                    OrtSession.Result result = session.run(given, requested(session, places), placed(given, places))) {
                var answer = new LinkedHashMap<String, Tensor>();
                for (String output : session.getOutputNames()) {
                    answer.put(output, copyOf((OnnxTensor) result.get(output).orElseThrow()));
                }
                return answer;
            }
        } finally {
            given.values().forEach(OnnxTensor::close);
        }
    }

    private static Set<String> requested(OrtSession session, Map<String, String> places) {
        var names = new LinkedHashSet<>(session.getOutputNames());
        names.removeAll(places.keySet());
        return names;
    }

    private static Map<String, OnnxTensor> placed(Map<String, OnnxTensor> values, Map<String, String> places) {
        var placed = new LinkedHashMap<String, OnnxTensor>();
        places.forEach((output, input) -> placed.put(output, Objects.requireNonNull(values.get(input))));
        return placed;
    }

    private static OnnxTensor tensor(OrtEnvironment environment, Tensor tensor) throws OrtException {
        long[] dims = tensor.shape().toArray();
        if (tensor.type() == ElementType.STRING) {
            return OnnxTensor.createTensor(environment, tensor.strings(), dims);
        }
        var bytes = tensor.segment().asByteBuffer().order(ByteOrder.nativeOrder());
        return OnnxTensor.createTensor(
                environment, bytes, dims, OnnxJavaType.valueOf(tensor.type().name()));
    }

    private static void flatten(Object strings, List<String> all) {
        if (strings instanceof Object[] parts) {
            for (Object part : parts) {
                flatten(part, all);
            }
        } else {
            all.add((String) strings);
        }
    }

    private static Tensor copyOf(OnnxTensor tensor) throws OrtException {
        Shape shape = Shape.of(tensor.getInfo().getShape());
        if (tensor.getInfo().type == OnnxJavaType.STRING) {
            var all = new ArrayList<String>();
            if (shape.elements() > 0) {
                flatten(tensor.getValue(), all);
            }
            return Tensor.ofStrings(shape, all.toArray(new String[0]));
        }
        ElementType type = ElementType.valueOf(tensor.getInfo().type.name());
        return Tensor.copyOf(Tensor.wrap(type, shape, MemorySegment.ofBuffer(tensor.getByteBuffer())));
    }
}
