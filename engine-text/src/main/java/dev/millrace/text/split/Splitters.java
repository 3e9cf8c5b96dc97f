package dev.millrace.text.split;

import dev.millrace.text.json.Json;
import dev.millrace.text.normal.Aligned;
import dev.millrace.text.normal.Patterns;
import dev.millrace.text.split.Cuts.Behaviour;
import java.util.List;
import java.util.regex.Pattern;

/** The pre-tokenizers that a {@code tokenizer.json} can name. */
public final class Splitters {
    private static final Pattern SPACE = unicode("\\s");
    private static final Pattern WORDS = unicode("\\w+|[^\\w\\s]+");
    /** BERT's punctuation: that of ASCII, symbols included, and that of Unicode. */
    private static final Pattern PUNCTUATION = unicode("[!-/:-@\\[-`{-~]|\\p{P}");

    private static final Pattern GPT2 =
            unicode("'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+");

    private Splitters() {}

    private static Pattern unicode(String pattern) {
        return Pattern.compile(pattern, Pattern.UNICODE_CHARACTER_CLASS);
    }

    /** What the description says; the text as a whole where there is none. */
    public static Splitter of(Json description) {
        if (description.isNull()) {
            return List::of;
        }
        return switch (description.type()) {
            case "Sequence" -> sequence(description.get("pretokenizers").elements());
            case "BertPreTokenizer" ->
                then(new Cuts(SPACE, Behaviour.REMOVED, false), new Cuts(PUNCTUATION, Behaviour.ISOLATED, false));
            case "Whitespace" -> new Cuts(WORDS, Behaviour.REMOVED, true);
            case "WhitespaceSplit" -> new Cuts(SPACE, Behaviour.REMOVED, false);
            case "Punctuation" -> new Cuts(PUNCTUATION, Behaviour.of(description.get("behavior")), false);
            case "CharDelimiterSplit" ->
                new Cuts(
                        Pattern.compile(
                                Pattern.quote(description.get("delimiter").text())),
                        Behaviour.REMOVED,
                        false);
            case "Digits" ->
                description.get("individual_digits").flag(false)
                        ? new Cuts(unicode("\\p{N}"), Behaviour.ISOLATED, false)
                        : new Cuts(unicode("\\p{N}"), Behaviour.CONTIGUOUS, false);
            case "Split" ->
                new Cuts(
                        Patterns.of(description.get("pattern")),
                        Behaviour.of(description.get("behavior")),
                        description.get("invert").flag(false));
            case "ByteLevel" -> byteLevel(description);
            case "Metaspace" -> new Metaspace(description);
            default -> throw description.unknown("pre-tokenizer");
        };
    }

    private static Splitter sequence(List<Json> parts) {
        return parts.stream().map(Splitters::of).reduce(List::of, Splitters::then);
    }

    private static Splitter then(Splitter first, Splitter second) {
        return text -> first.split(text).stream()
                .flatMap(word -> second.split(word).stream())
                .toList();
    }

    private static Splitter byteLevel(Json description) {
        boolean prepends = description.get("add_prefix_space").flag(true);
        boolean cuts = description.get("use_regex").flag(true);
        Splitter words = cuts ? new Cuts(GPT2, Behaviour.ISOLATED, false) : List::of;
        return text -> {
            Aligned spaced = prepends && !text.text().startsWith(" ") ? text.prepend(" ") : text;
            return words.split(spaced).stream().map(ByteChars::encode).toList();
        };
    }
}
