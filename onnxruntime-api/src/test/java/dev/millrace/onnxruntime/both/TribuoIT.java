package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.onnxruntime.OrtSession.SessionOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tribuo.Prediction;
import org.tribuo.classification.Label;
import org.tribuo.classification.LabelFactory;
import org.tribuo.impl.ArrayExample;
import org.tribuo.interop.onnx.DenseTransformer;
import org.tribuo.interop.onnx.LabelTransformer;
import org.tribuo.interop.onnx.ONNXExternalModel;

/** Tribuo's model of an ONNX file, which runs as it is. */
@Tag("reference")
@Tag("slow")
class TribuoIT {
    private static final float[] ROW = {3, -1, 2, 0.5f};

    @Test
    void tribuoPredictsLabels(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("classes.onnx"), SmallModels.classes());
        var features = new HashMap<String, Integer>();
        for (int i = 0; i < ROW.length; i++) {
            features.put("f" + i, i);
        }
        Map<Label, Integer> outputs = Map.of(new Label("a"), 0, new Label("b"), 1, new Label("c"), 2);
        var model = ONNXExternalModel.createOnnxModel(
                new LabelFactory(),
                features,
                outputs,
                new DenseTransformer(),
                new LabelTransformer(),
                new SessionOptions(),
                file,
                "x");
        try (model) {
            var example = new ArrayExample<>(
                    new Label("a"), new String[] {"f0", "f1", "f2", "f3"}, new double[] {3, -1, 2, 0.5});
            Prediction<Label> prediction = model.predict(example);
            double[] expected = SmallModels.classesOf(ROW);
            assertThat(prediction.getOutput().getLabel()).isEqualTo("a");
            assertThat(prediction.getOutputScores().get("a").getScore()).isCloseTo(expected[0], within(1e-5));
            assertThat(prediction.getOutputScores().get("b").getScore()).isCloseTo(expected[1], within(1e-5));
            assertThat(prediction.getOutputScores().get("c").getScore()).isCloseTo(expected[2], within(1e-5));
        }
    }
}
