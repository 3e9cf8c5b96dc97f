package dev.millrace.onnxruntime.programs;

import ai.onnxruntime.NodeInfo;
import ai.onnxruntime.OnnxMap;
import ai.onnxruntime.OnnxSequence;
import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OnnxValue;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import ai.onnxruntime.OrtUtil;
import ai.onnxruntime.TensorInfo;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Digits in images, as ONNX Runtime's documentation for Java shows its API: options, an environment, inputs by their declared names and
 * shapes, arrays reshaped to tensors, and answers as arrays and as maps from labels to probabilities.
 */
final class DigitClassifier implements Program {
    private static final int SIDE = 28;
    private static final int IMAGES = 16;

    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();
    private final SessionOptions options = new SessionOptions();
    private final OrtSession session;

    DigitClassifier() throws Exception {
        options.setOptimizationLevel(OptLevel.BASIC_OPT);
        options.setIntraOpNumThreads(1);
        session = environment.createSession(DigitModel.bytes(SIDE), options);
    }

    @Override
    public float[] answer() throws Exception {
        NodeInfo input = session.getInputInfo().values().iterator().next();
        long[] shape = ((TensorInfo) input.getInfo()).getShape();
        shape[0] = IMAGES;
        Object images = OrtUtil.reshape(pixels(), shape);
        float[] numbers = new float[IMAGES * 3];
        try (OnnxTensor tensor = OnnxTensor.createTensor(environment, images);
                OrtSession.Result result = session.run(Map.of(input.getName(), tensor))) {
            float[][] probabilities =
                    (float[][]) result.get("probabilities").orElseThrow().getValue();
            long[] labels = (long[]) result.get("label").orElseThrow().getValue();
            List<? extends OnnxValue> maps = ((OnnxSequence) result.get(2)).getValue();
            for (int i = 0; i < IMAGES; i++) {
                Map<?, ?> byLabel = ((OnnxMap) maps.get(i)).getValue();
                numbers[3 * i] = labels[i];
                numbers[3 * i + 1] = probabilities[i][(int) labels[i]];
                numbers[3 * i + 2] = (Float) Objects.requireNonNull(byLabel.get(labels[i]));
            }
        }
        return numbers;
    }

    private static float[] pixels() {
        float[] pixels = new float[IMAGES * SIDE * SIDE];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (float) Math.sin(i * 0.37 + i / (SIDE * SIDE));
        }
        return pixels;
    }

    @Override
    public void close() throws Exception {
        session.close();
        options.close();
    }
}
