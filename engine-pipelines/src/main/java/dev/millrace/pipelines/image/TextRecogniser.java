package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import java.util.List;

/**
 * Stages from the image of a line to its text, by models such as PP-OCR's: the output {@code [1, steps, characters]} has a probability for
 * each character at each step (connectionist temporal classification, Graves et al. 2006). Class 0 is no character.
 */
public final class TextRecogniser {
    private static final int HEIGHT = 48;
    private static final int NARROWEST = 320;
    private static final int WIDEST = 48 * 200;

    private TextRecogniser() {}

    /**
     * Returns a stage that reads lines.
     *
     * @param characters the characters of the classes from 1 on; if the model has one class more, that is the space
     */
    public static Stage<RgbImage, ReadText> of(Inference inference, List<String> characters) {
        List<String> known = StageArguments.all(characters, "characters");
        ImageModel model = ImageModel.of(inference);
        return Stage.of(inference, line -> {
            Inputs inputs = model.inputs(LineInput.of(line, HEIGHT, NARROWEST, WIDEST));
            return new ModelRequest<>(inputs, outputs -> text(outputs.get(model.output(0)), known));
        });
    }

    private static ReadText text(Tensor output, List<String> characters) {
        int classes = (int) output.shape().dimAt(-1);
        if (classes != characters.size() + 1 && classes != characters.size() + 2) {
            throw EngineException.invalidArgument("the model knows " + classes + " classes: " + characters.size()
                    + " characters, no character and perhaps a space are others");
        }
        float[] values = output.floats();
        var text = new StringBuilder();
        double sum = 0;
        int count = 0;
        int before = 0;
        for (int at = 0; at < values.length; at += classes) {
            int best = LabelScores.argMax(values, at, classes);
            if (best != 0 && best != before) {
                text.append(best <= characters.size() ? characters.get(best - 1) : " ");
                sum += values[at + best];
                count++;
            }
            before = best;
        }
        return new ReadText(text.toString(), count == 0 ? 0 : sum / count);
    }
}
