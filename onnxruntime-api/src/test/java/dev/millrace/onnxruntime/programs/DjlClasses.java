package dev.millrace.onnxruntime.programs;

import ai.djl.inference.Predictor;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.repository.zoo.Criteria;
import ai.djl.repository.zoo.ZooModel;
import ai.djl.translate.NoopTranslator;
import dev.millrace.onnxruntime.both.SmallModels;
import java.nio.file.Files;
import java.nio.file.Path;

/** Probabilities of classes by DJL's engine {@code OnnxRuntime}, which creates the environment with threads of its own. */
final class DjlClasses implements Program {
    private static final int CLASSES = 3;

    private final ZooModel<NDList, NDList> model;
    private final Predictor<NDList, NDList> predictor;

    DjlClasses() throws Exception {
        // DJL looks for translators in all jars of the model's folder
        Path folder = Files.createTempDirectory("classes");
        Path file = Files.write(folder.resolve("classes.onnx"), SmallModels.classes());
        model = Criteria.builder()
                .setTypes(NDList.class, NDList.class)
                .optModelPath(file)
                .optTranslator(new NoopTranslator())
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
        try (NDManager manager = model.getNDManager().newSubManager()) {
            NDList row = new NDList(manager.create(new float[] {3, -1, 2, 0.5f}, new Shape(1, 4)));
            NDList answer = predictor.predict(row);
            if (!answer.singletonOrThrow().getShape().equals(new Shape(1, CLASSES))) {
                throw new IllegalStateException(
                        "the shape is " + answer.singletonOrThrow().getShape());
            }
            return answer.singletonOrThrow().toFloatArray();
        }
    }

    @Override
    public void close() {
        predictor.close();
        model.close();
    }
}
