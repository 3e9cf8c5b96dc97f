package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.ScoredLabel;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import java.util.List;
import java.util.stream.IntStream;

/** Stages from an image to its most likely classes. */
public final class ImageClassifier {
    private ImageClassifier() {}

    /**
     * Returns a stage whose results are the most likely classes, the most likely one first. The first output of the model has a logit for
     * each class; its softmax is the score.
     *
     * @param labels the names of the classes; a class without a name is called by its index
     * @param top the number of classes
     */
    public static Stage<RgbImage, List<ScoredLabel>> of(
            Inference inference, ImageInput input, List<String> labels, int top) {
        StageArguments.require(input, "input");
        StageArguments.positive(top, "top");
        List<String> names = StageArguments.all(labels, "labels");
        ImageModel model = ImageModel.of(inference);
        return Stage.of(inference, image -> {
            PreparedImage prepared = input.prepare(image);
            return new ModelRequest<>(
                    model.inputs(prepared),
                    outputs -> LabelScores.top(LabelScores.softmax(logits(outputs.get(model.output(0)))), top, names));
        });
    }

    /** Returns the logits of the only image of a run; axes of one element may surround the classes. */
    private static float[] logits(Tensor output) {
        Shape shape = output.shape();
        if (IntStream.range(0, shape.rank())
                        .filter(axis -> shape.dim(axis) != 1)
                        .count()
                > 1) {
            throw EngineException.invalidArgument(
                    "the model's output has the shape " + shape + ", and [1, classes] is expected");
        }
        return output.floats();
    }
}
