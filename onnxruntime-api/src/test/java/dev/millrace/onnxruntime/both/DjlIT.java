package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.repository.zoo.Criteria;
import ai.djl.repository.zoo.ZooModel;
import ai.djl.translate.NoopTranslator;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** DJL's engine {@code OnnxRuntime}, which runs as it is. It creates the environment with threads of its own. */
@Tag("reference")
@Tag("slow")
class DjlIT {
    private static final float[] ROW = {3, -1, 2, 0.5f};

    @Test
    void djlRunsAModelOfItsEngine(@TempDir Path folder) throws Exception {
        Path file = Files.write(folder.resolve("classes.onnx"), SmallModels.classes());
        Criteria<NDList, NDList> criteria = Criteria.builder()
                .setTypes(NDList.class, NDList.class)
                .optModelPath(file)
                .optTranslator(new NoopTranslator())
                .optEngine("OnnxRuntime")
                .optOption("intraOpNumThreads", "1")
                .build();
        try (ZooModel<NDList, NDList> model = criteria.loadModel();
                Predictor<NDList, NDList> predictor = model.newPredictor();
                NDManager manager = model.getNDManager().newSubManager()) {
            NDArray answer = predictor
                    .predict(new NDList(manager.create(ROW, new Shape(1, ROW.length))))
                    .singletonOrThrow();
            double[] expected = SmallModels.classesOf(ROW);
            assertThat(answer.getShape()).isEqualTo(new Shape(1, 3));
            for (int i = 0; i < expected.length; i++) {
                assertThat((double) answer.toFloatArray()[i]).isCloseTo(expected[i], within(1e-5));
            }
        }
    }
}
