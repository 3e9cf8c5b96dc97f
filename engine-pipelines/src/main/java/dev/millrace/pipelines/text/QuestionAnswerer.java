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
import java.util.Optional;

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
     * The tokens of a part of a passage, and the logits of its first token, which stands for no answer.
     *
     * @param nothing the sum of both logits of the first token
     */
    private record Part(List<Candidate> candidates, double nothing) {}

    /** Returns the result of a question and of what the model says about the parts of its passage. */
    @FunctionalInterface
    private interface Reading<R> {
        R of(Question asked, List<Part> parts);
    }

    /**
     * Returns a stage for passages of any length, which are read in parts that overlap. The answer is the most likely one, also if the passage
     * has none.
     *
     * @param most the most tokens of a run's text, with the question: that of the model, such as 384 or 512
     * @param overlap the tokens that two parts in a row share, such as 128
     */
    public static Stage<Question, FoundAnswer> of(Inference inference, Tokenizer tokenizer, int most, int overlap) {
        return stage(inference, tokenizer, most, overlap, QuestionAnswerer::answer);
    }

    /**
     * Returns a stage for models that were trained on questions without an answer, such as those of SQuAD 2 (Rajpurkar et al. 2018). There is no
     * answer if the logits of the first token of a part, in each part, add up to more than those of the best answer.
     *
     * @param most the most tokens of a run's text, with the question: that of the model, such as 384 or 512
     * @param overlap the tokens that two parts in a row share, such as 128
     */
    public static Stage<Question, Optional<FoundAnswer>> orNothing(
            Inference inference, Tokenizer tokenizer, int most, int overlap) {
        return stage(inference, tokenizer, most, overlap, (asked, parts) -> {
            double nothing = parts.stream().mapToDouble(Part::nothing).min().orElse(Double.POSITIVE_INFINITY);
            return parts.stream().allMatch(part -> part.candidates().isEmpty()) || best(parts) < nothing
                    ? Optional.empty()
                    : Optional.of(answer(asked, parts));
        });
    }

    private static <R> Stage<Question, R> stage(
            Inference inference, Tokenizer tokenizer, int most, int overlap, Reading<R> reading) {
        Tokenizer uncut = StageArguments.require(tokenizer, "tokenizer").cutTo(0);
        return new TextHead<Question, Part, R>(
                TextBatches.of(inference, uncut),
                asked -> uncut.parts(asked.question(), asked.passage(), most, overlap),
                QuestionAnswerer::part,
                (asked, encodings, parts) -> reading.of(asked, parts));
    }

    private static Part part(Encoding text, Outputs outputs, int index) {
        float[] first = Logits.ofText(outputs.get(0), index);
        float[] last = Logits.ofText(outputs.get(1), index);
        var candidates = new ArrayList<Candidate>();
        for (int i = 0; i < text.length(); i++) {
            if (text.text(i) == 1) {
                candidates.add(new Candidate(text.start(i), text.end(i), first[i], last[i]));
            }
        }
        return new Part(candidates, (double) first[0] + last[0]);
    }

    /** The largest sum of the logits of an answer's first and last token. */
    private static double best(List<Part> parts) {
        double best = Double.NEGATIVE_INFINITY;
        for (Part part : parts) {
            List<Candidate> all = part.candidates();
            for (int i = 0; i < all.size(); i++) {
                for (int j = i; j < Math.min(all.size(), i + LONGEST); j++) {
                    best = Math.max(
                            best, (double) all.get(i).first() + all.get(j).last());
                }
            }
        }
        return best;
    }

    private static FoundAnswer answer(Question asked, List<Part> parts) {
        String passage = asked.passage();
        List<Candidate> all =
                parts.stream().flatMap(part -> part.candidates().stream()).toList();
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
        for (Part each : parts) {
            List<Candidate> part = each.candidates();
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
