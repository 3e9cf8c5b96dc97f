package dev.millrace.onnxruntime.programs;

import ai.onnxruntime.OrtSession.SessionOptions;
import dev.millrace.onnxruntime.both.SmallModels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.tribuo.Example;
import org.tribuo.Prediction;
import org.tribuo.classification.Label;
import org.tribuo.classification.LabelFactory;
import org.tribuo.impl.ArrayExample;
import org.tribuo.interop.onnx.DenseTransformer;
import org.tribuo.interop.onnx.LabelTransformer;
import org.tribuo.interop.onnx.ONNXExternalModel;

/** Scores of labels by Tribuo's model of an ONNX file. */
final class TribuoLabels implements Program {
    private final ONNXExternalModel<Label> model;
    private final Example<Label> example =
            new ArrayExample<>(new Label("a"), new String[] {"f0", "f1", "f2", "f3"}, new double[] {3, -1, 2, 0.5});

    TribuoLabels() throws Exception {
        Path file = Files.write(Files.createTempFile("classes", ".onnx"), SmallModels.classes());
        var features = new HashMap<String, Integer>();
        for (int i = 0; i < 4; i++) {
            features.put("f" + i, i);
        }
        model = ONNXExternalModel.createOnnxModel(
                new LabelFactory(),
                features,
                Map.of(new Label("a"), 0, new Label("b"), 1, new Label("c"), 2),
                new DenseTransformer(),
                new LabelTransformer(),
                new SessionOptions(),
                file,
                "x");
        Files.delete(file);
    }

    @Override
    public float[] answer() {
        Prediction<Label> prediction = model.predict(example);
        float[] scores = new float[3];
        for (int i = 0; i < scores.length; i++) {
            String label = String.valueOf((char) ('a' + i));
            scores[i] =
                    (float) Objects.requireNonNull(prediction.getOutputScores().get(label))
                            .getScore();
        }
        return scores;
    }

    @Override
    public void close() {
        model.close();
    }
}
