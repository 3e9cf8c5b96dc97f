package dev.millrace.text.pretokenizer;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import dev.millrace.text.normalizer.Patterns;
import dev.millrace.text.pattern.Literal;
import dev.millrace.text.pattern.Regex;
import dev.millrace.text.pretokenizer.PatternSplits.Behaviour;
import java.util.ArrayList;
import java.util.List;

/** The pre-tokenizers that a {@code tokenizer.json} can name. */
public final class Splitters {
    private static final String SPACE = "\\s";
    private static final String WORDS = "\\w+|[^\\w\\s]+";
    /** The punctuation of BERT: that of ASCII, symbols included, and that of Unicode. */
    private static final String PUNCTUATION = "[!-/:-@\\[-`{-~]|\\p{P}";

    private static final String GPT2 =
            "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

    private static final Splitter WHOLE = (text, budget) -> List.of(text);

    private Splitters() {}

    /** Creates the pre-tokenizer of a description; without one, a text is one word. */
    public static Splitter of(Json description) {
        if (description.isNull()) {
            return WHOLE;
        }
        return switch (description.type()) {
            case "Sequence" ->
                sequence(description.get("pretokenizers").elements().stream()
                        .map(Splitters::of)
                        .toList());
            case "BertPreTokenizer" ->
                sequence(List.of(
                        new PatternSplits(Regex.of(SPACE), Behaviour.REMOVED, false),
                        new PatternSplits(Regex.of(PUNCTUATION), Behaviour.ISOLATED, false)));
            case "Whitespace" -> new PatternSplits(Regex.of(WORDS), Behaviour.REMOVED, true);
            case "WhitespaceSplit" -> new PatternSplits(Regex.of(SPACE), Behaviour.REMOVED, false);
            case "Punctuation" ->
                new PatternSplits(Regex.of(PUNCTUATION), Behaviour.of(description.get("behavior")), false);
            case "CharDelimiterSplit" ->
                new PatternSplits(new Literal(description.get("delimiter").text()), Behaviour.REMOVED, false);
            case "Digits" ->
                description.get("individual_digits").flag(false)
                        ? new PatternSplits(Regex.of("\\p{N}"), Behaviour.ISOLATED, false)
                        : new PatternSplits(Regex.of("\\p{N}"), Behaviour.CONTIGUOUS, false);
            case "Split" ->
                new PatternSplits(
                        Patterns.of(description.get("pattern")),
                        Behaviour.of(description.get("behavior")),
                        description.get("invert").flag(false));
            case "ByteLevel" -> byteLevel(description);
            case "Metaspace" -> new Metaspace(description);
            default -> throw description.unknown("pre-tokenizer");
        };
    }

    private static Splitter sequence(List<Splitter> splitters) {
        return (text, budget) -> {
            List<Aligned> words = List.of(text);
            for (Splitter each : splitters) {
                words = words(each, words, budget);
            }
            return words;
        };
    }

    private static List<Aligned> words(Splitter splitter, List<Aligned> texts, Budget budget) {
        var words = new ArrayList<Aligned>();
        long length = 0;
        for (Aligned text : texts) {
            budget.spend(1);
            for (Aligned word : splitter.split(text, budget)) {
                length += word.length();
                budget.requireLength(length);
                words.add(word);
            }
        }
        return words;
    }

    private static Splitter byteLevel(Json description) {
        boolean prepends = description.get("add_prefix_space").flag(true);
        boolean cuts = description.get("use_regex").flag(true);
        Splitter words = cuts ? new PatternSplits(Regex.of(GPT2), Behaviour.ISOLATED, false) : WHOLE;
        return (text, budget) -> {
            Aligned spaced = prepends && !text.text().startsWith(" ") ? text.prepend(" ", budget) : text;
            return words.split(spaced, budget).stream()
                    .map(word -> ByteChars.encode(word, budget))
                    .toList();
        };
    }
}
