package dev.millrace.pipelines.text;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.ScoredLabel;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Outputs;
import dev.millrace.text.Encoding;
import dev.millrace.text.TextBatches;
import dev.millrace.text.Tokenizer;
import java.util.ArrayList;
import java.util.List;

/** Stages that fill the gap in a text. The first output of the model, {@code [texts, tokens, vocabulary]}, has a logit for each token. */
public final class MaskFiller {
    private MaskFiller() {}

    /**
     * Returns a stage whose results are the most likely tokens for the one mask of a text. Labels are the texts of tokens, as the
     * vocabulary has them.
     *
     * @param mask the token that stands for the gap, such as {@code [MASK]} or {@code <mask>}
     * @param top the number of tokens
     */
    public static Stage<String, List<ScoredLabel>> of(Inference inference, Tokenizer tokenizer, String mask, int top) {
        StageArguments.positive(top, "top");
        Tokenizer unpadded = StageArguments.require(tokenizer, "tokenizer").unpadded();
        int id = tokenizer.id(mask);
        return new TextHead<String, double[], List<ScoredLabel>>(
                TextBatches.of(inference, tokenizer),
                text -> List.of(withOneMask(unpadded.encode(text), id, mask)),
                (text, outputs, index) -> probabilities(text, outputs, index, id),
                (text, encodings, scores) -> named(LabelScores.top(scores.getFirst(), top, List.of()), tokenizer));
    }

    private static int place(Encoding text, int id) {
        long[] ids = text.ids();
        int at = 0;
        while (at < ids.length && ids[at] != id) {
            at++;
        }
        return at;
    }

    private static Encoding withOneMask(Encoding text, int id, String mask) {
        int count = 0;
        for (long each : text.ids()) {
            count += each == id ? 1 : 0;
        }
        if (count != 1) {
            throw EngineException.invalidArgument("the text has " + count + " tokens " + mask + "; it needs one");
        }
        return text;
    }

    private static double[] probabilities(Encoding text, Outputs outputs, int index, int id) {
        return LabelScores.softmax(Logits.ofToken(outputs.get(0), index, place(text, id)));
    }

    private static List<ScoredLabel> named(List<ScoredLabel> top, Tokenizer tokenizer) {
        var named = new ArrayList<ScoredLabel>();
        for (ScoredLabel each : top) {
            String token = tokenizer.token(each.index());
            named.add(token == null ? each : new ScoredLabel(each.index(), token, each.score()));
        }
        return List.copyOf(named);
    }
}
