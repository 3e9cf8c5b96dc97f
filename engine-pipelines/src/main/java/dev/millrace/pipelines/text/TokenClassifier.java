package dev.millrace.pipelines.text;

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
 * Stages from a text to its named parts. The first output of the model, {@code [texts, tokens, classes]}, has a logit for each class. The first token
 * of a word decides for the word. Labels are {@code O} for nothing, and {@code B-} and {@code I-} before the name of a class for the first and the
 * further words of a part; names without prefixes join equal neighbours.
 */
public final class TokenClassifier {
    private static final String NOTHING = "O";
    private static final int PREFIX = 2;

    private TokenClassifier() {}

    /** A word with its label. */
    private record LabelledWord(int start, int end, String label, double score) {
        boolean hasPrefix() {
            return label.startsWith("B-") || label.startsWith("I-");
        }

        String name() {
            return hasPrefix() ? label.substring(PREFIX) : label;
        }

        boolean continues(LabelledWord before) {
            return name().equals(before.name()) && !label.startsWith("B-");
        }
    }

    /** Returns a stage whose results are the parts in their order. Texts are cut to what the tokenizer keeps. */
    public static Stage<String, List<TextSpan>> of(Inference inference, Tokenizer tokenizer, List<String> labels) {
        List<String> names = StageArguments.all(labels, "labels");
        Tokenizer unpadded = StageArguments.require(tokenizer, "tokenizer").unpadded();
        return new TextHead<String, List<LabelledWord>, List<TextSpan>>(
                TextBatches.of(inference, tokenizer),
                text -> List.of(unpadded.encode(text)),
                (text, outputs, index) -> words(text, outputs, index, names),
                (text, encodings, words) -> spans(text, words.getFirst()));
    }

    private static List<LabelledWord> words(Encoding text, Outputs outputs, int index, List<String> labels) {
        var words = new ArrayList<LabelledWord>();
        int word = -1;
        for (int i = 0; i < text.length(); i++) {
            if (text.word(i) < 0) {
                continue;
            }
            if (text.word(i) == word) {
                LabelledWord begun = words.removeLast();
                words.add(new LabelledWord(begun.start(), text.end(i), begun.label(), begun.score()));
                continue;
            }
            word = text.word(i);
            float[] logits = Logits.ofToken(outputs.get(0), index, i);
            int best = LabelScores.argMax(logits, 0, logits.length);
            words.add(new LabelledWord(
                    text.start(i), text.end(i), LabelScores.label(labels, best), LabelScores.softmax(logits)[best]));
        }
        return words;
    }

    private static List<TextSpan> spans(String text, List<LabelledWord> words) {
        var spans = new ArrayList<TextSpan>();
        for (int from = 0; from < words.size(); ) {
            int to = from + 1;
            while (to < words.size() && words.get(to).continues(words.get(from))) {
                to++;
            }
            if (!words.get(from).label().equals(NOTHING)) {
                spans.add(span(text, words.subList(from, to)));
            }
            from = to;
        }
        return List.copyOf(spans);
    }

    private static TextSpan span(String text, List<LabelledWord> words) {
        int start = words.getFirst().start();
        int end = words.getLast().end();
        double score = words.stream().mapToDouble(LabelledWord::score).average().orElse(0);
        return new TextSpan(
                text.substring(start, end), start, end, words.getFirst().name(), score);
    }
}
