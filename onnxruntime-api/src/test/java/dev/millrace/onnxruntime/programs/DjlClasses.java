package dev.millrace.onnxruntime.programs;

import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.repository.zoo.Criteria;
import ai.djl.repository.zoo.ZooModel;
import ai.djl.translate.Translator;
import ai.djl.translate.TranslatorContext;
import dev.millrace.onnxruntime.both.SmallModels;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Classes by DJL's engine {@code OnnxRuntime}, which creates the environment with threads of its own. It has no operations on arrays, and
 * takes those of this project's engine of DJL.
 */
final class DjlClasses implements Program {
    private static final float[] ROW = {3, -1, 2, 0.5f};

    private final ZooModel<float[], float[]> model;
    private final Predictor<float[], float[]> predictor;

    /** Doubles numbers before the model, and takes the softmax of its answer. */
    private static final class Doubling implements Translator<float[], float[]> {
        @Override
        public NDList processInput(TranslatorContext context, float[] row) {
            NDArray array = context.getNDManager().create(row);
            return new NDList(array.mul(2f));
        }

        @Override
        public float[] processOutput(TranslatorContext context, NDList answer) {
            return answer.singletonOrThrow().softmax(0).toFloatArray();
        }
    }

    DjlClasses() throws Exception {
        // DJL looks for translators in all jars of the model's folder
        Path folder = Files.createTempDirectory("classes");
        Path file = Files.write(folder.resolve("classes.onnx"), SmallModels.classes());
        model = Criteria.builder()
                .setTypes(float[].class, float[].class)
                .optModelPath(file)
                .optTranslator(new Doubling())
                .optEngine("OnnxRuntime")
                .optOption("intraOpNumThreads", "1")
                .build()
                .loadModel();
        predictor = model.newPredictor();
        Files.delete(file);
        Files.delete(folder);
    }

    @Override
    public float[] answer() throws Exception {
        return predictor.predict(ROW);
    }

    @Override
    public void close() {
        predictor.close();
        model.close();
    }
}
