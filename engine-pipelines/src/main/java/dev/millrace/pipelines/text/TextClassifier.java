package dev.millrace.pipelines.text;

import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.ScoredLabel;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.text.TextBatches;
import dev.millrace.text.Tokenizer;
import java.util.Arrays;
import java.util.List;

/** Stages from a text to its classes. The first output of the model, {@code [texts, classes]}, has a logit for each class. */
public final class TextClassifier {
    private TextClassifier() {}

    /**
     * Returns a stage whose results are the most likely classes of a text, which has one of them. Scores are the softmax.
     *
     * @param labels the names of the classes; a class without a name is called by its index
     * @param top the number of classes
     */
    public static Stage<String, List<ScoredLabel>> of(
            Inference inference, Tokenizer tokenizer, List<String> labels, int top) {
        return stage(inference, tokenizer, labels, top, false);
    }

    /** Returns a stage for classes of which a text may have several. Scores are the logistic function of the logits. */
    public static Stage<String, List<ScoredLabel>> multiLabel(
            Inference inference, Tokenizer tokenizer, List<String> labels, int top) {
        return stage(inference, tokenizer, labels, top, true);
    }

    private static Stage<String, List<ScoredLabel>> stage(
            Inference inference, Tokenizer tokenizer, List<String> labels, int top, boolean isMultiLabel) {
        StageArguments.positive(top, "top");
        List<String> names = StageArguments.all(labels, "labels");
        Tokenizer unpadded = StageArguments.require(tokenizer, "tokenizer").unpadded();
        return new TextHead<String, double[], List<ScoredLabel>>(
                TextBatches.of(inference, tokenizer),
                text -> List.of(unpadded.encode(text)),
                (text, outputs, index) -> {
                    float[] logits = Logits.ofText(outputs.get(0), index);
                    return isMultiLabel ? sigmoids(logits) : LabelScores.softmax(logits);
                },
                (text, encodings, scores) -> LabelScores.top(scores.getFirst(), top, names));
    }

    private static double[] sigmoids(float[] logits) {
        double[] scores = new double[logits.length];
        Arrays.setAll(scores, i -> LabelScores.sigmoid(logits[i]));
        return scores;
    }
}
