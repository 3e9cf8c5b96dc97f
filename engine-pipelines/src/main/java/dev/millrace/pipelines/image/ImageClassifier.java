package dev.millrace.pipelines.image;

import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.ScoredLabel;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import java.util.List;

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
                    outputs -> LabelScores.top(
                            LabelScores.softmax(outputs.get(model.output(0)).floats()), top, names));
        });
    }
}
