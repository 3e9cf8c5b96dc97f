package dev.millrace.pipelines.text;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.LabelScores;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import dev.millrace.session.Outputs;
import dev.millrace.text.Encoding;
import dev.millrace.text.TextBatches;
import dev.millrace.text.Tokenizer;
import java.util.ArrayList;
import java.util.List;

/**
 * Stages from a question about a passage to the part of the passage that answers it. The first two outputs of the model, {@code [texts, tokens]},
 * have logits for the first and for the last token of the answer. Probabilities are those over all tokens of the passage.
 */
public final class QuestionAnswerer {
    /** The largest number of tokens of an answer. */
    private static final int LONGEST = 30;

    private QuestionAnswerer() {}

    /** A token of a passage that an answer may begin or end with. */
    private record Candidate(int start, int end, float first, float last) {}

    /**
     * Returns a stage for passages of any length, which are read in parts that overlap.
     *
     * @param most the most tokens of a run's text, with the question: that of the model, such as 384 or 512
     * @param overlap the tokens that two parts in a row share, such as 128
     */
    public static Stage<Question, FoundAnswer> of(Inference inference, Tokenizer tokenizer, int most, int overlap) {
        Tokenizer uncut = StageArguments.require(tokenizer, "tokenizer").cutTo(0);
        return new TextHead<Question, List<Candidate>, FoundAnswer>(
                TextBatches.of(inference, uncut),
                asked -> uncut.parts(asked.question(), asked.passage(), most, overlap),
                QuestionAnswerer::candidates,
                (asked, encodings, parts) -> answer(asked.passage(), parts));
    }

    private static List<Candidate> candidates(Encoding text, Outputs outputs, int index) {
        float[] first = Logits.ofText(outputs.get(0), index);
        float[] last = Logits.ofText(outputs.get(1), index);
        var candidates = new ArrayList<Candidate>();
        for (int i = 0; i < text.length(); i++) {
            if (text.text(i) == 1) {
                candidates.add(new Candidate(text.start(i), text.end(i), first[i], last[i]));
            }
        }
        return candidates;
    }

    private static FoundAnswer answer(String passage, List<List<Candidate>> parts) {
        List<Candidate> all = parts.stream().flatMap(List::stream).toList();
        if (all.isEmpty()) {
            throw EngineException.invalidArgument("the passage has no tokens, and so no answer");
        }
        float[] first = new float[all.size()];
        float[] last = new float[all.size()];
        for (int i = 0; i < first.length; i++) {
            first[i] = all.get(i).first();
            last[i] = all.get(i).last();
        }
        double[] begins = LabelScores.softmax(first);
        double[] ends = LabelScores.softmax(last);
        FoundAnswer best = new FoundAnswer("", 0, 0, -1);
        int at = 0;
        for (List<Candidate> part : parts) {
            for (int i = 0; i < part.size(); i++) {
                for (int j = i; j < Math.min(part.size(), i + LONGEST); j++) {
                    double score = begins[at + i] * ends[at + j];
                    if (score > best.score()) {
                        int start = part.get(i).start();
                        int end = part.get(j).end();
                        best = new FoundAnswer(passage.substring(start, end), start, end, score);
                    }
                }
            }
            at += part.size();
        }
        return best;
    }
}
