package dev.millrace.text;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import dev.millrace.text.normalizer.Normalization;
import dev.millrace.text.normalizer.Normalizers;
import dev.millrace.text.pattern.TextSet;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Tokens that are searched in a text before it is split into words: special tokens of the format, and tokens that were
 * added later.
 */
final class AddedTokens {
    private final List<Added> all;
    private final Finder raw;
    private final Finder normalized;

    /**
     * A token and the rules for finding it in a text.
     *
     * @param single whether it is not matched inside of a word
     * @param takesLeft whether spaces before it are part of it
     * @param takesRight whether spaces after it are part of it
     * @param special whether it is omitted when tokens are decoded to text
     */
    record Added(int id, String text, boolean single, boolean takesLeft, boolean takesRight, boolean special) {}

    /** A part of a text: an added token, or the text between two of them. */
    record Part(Aligned text, @Nullable Added token) {}

    /** @param ids the vocabulary's ids, which take precedence over the ids in the descriptions of the tokens */
    AddedTokens(List<Json> descriptions, Normalization normalizer, Map<String, Integer> ids, Budget budget) {
        var every = new ArrayList<Added>();
        var asTheyAre = new ArrayList<Added>();
        var asNormalized = new ArrayList<Added>();
        for (Json description : descriptions) {
            String text = description.get("content").text();
            Integer known = ids.get(text);
            var added = new Added(
                    known == null ? description.get("id").id() : known,
                    text,
                    description.get("single_word").flag(false),
                    description.get("lstrip").flag(false),
                    description.get("rstrip").flag(false),
                    description.get("special").flag(false));
            every.add(added);
            (description.get("normalized").flag(!added.special()) ? asNormalized : asTheyAre).add(added);
        }
        all = List.copyOf(every);
        raw = new Finder(asTheyAre, text -> text);
        normalized = new Finder(
                asNormalized, text -> normalizer.apply(Aligned.of(text), budget).text());
    }

    List<Added> all() {
        return all;
    }

    /** Splits a text before normalisation. */
    List<Part> inRaw(Aligned text, Budget budget) {
        return raw.split(text, budget);
    }

    /** Splits a normalised text. */
    List<Part> inNormalized(Aligned text, Budget budget) {
        return normalized.split(text, budget);
    }

    private static final class Finder {
        private final List<Added> tokens;
        private final TextSet texts;

        Finder(List<Added> added, UnaryOperator<String> seen) {
            var bySeen = new LinkedHashMap<String, Added>();
            for (Added token : added) {
                String text = seen.apply(token.text());
                if (!text.isEmpty()) {
                    bySeen.putIfAbsent(text, token);
                }
            }
            tokens = List.copyOf(bySeen.values());
            texts = TextSet.of(List.copyOf(bySeen.keySet()));
        }

        List<Part> split(Aligned text, Budget budget) {
            int[] found = tokens.isEmpty() ? null : longest(text.text(), budget);
            if (found == null) {
                return text.isEmpty() ? List.of() : List.of(new Part(text, null));
            }
            var parts = new ArrayList<Part>();
            String chars = text.text();
            int done = 0;
            for (int at = 0; at < chars.length(); ) {
                if (found[at] == 0) {
                    at++;
                    continue;
                }
                Added token = tokens.get(found[at] - 1);
                int from = at;
                int to = at + texts.length(found[at] - 1);
                while (token.takesLeft() && from > done && Normalizers.isSpace(chars.charAt(from - 1))) {
                    from--;
                }
                while (token.takesRight() && to < chars.length() && Normalizers.isSpace(chars.charAt(to))) {
                    to++;
                }
                if (from > done) {
                    parts.add(new Part(text.slice(done, from), null));
                }
                parts.add(new Part(text.slice(from, to), token));
                done = to;
                at = to;
            }
            if (done < chars.length()) {
                parts.add(new Part(text.slice(done, chars.length()), null));
            }
            return parts;
        }

        /**
         * Returns for each position the index of the longest token that begins there, plus 1; null where there is no
         * token in the text.
         */
        private int @Nullable [] longest(String text, Budget budget) {
            int[] found = null;
            int node = 0;
            for (int end = 1; end <= text.length(); end++) {
                node = texts.next(node, text.charAt(end - 1));
                budget.spend(1);
                for (int at = texts.longestText(node); at > 0; at = texts.shorterText(at)) {
                    budget.spend(1);
                    int index = texts.value(at);
                    int start = end - texts.length(index);
                    if (!tokens.get(index).single() || isWordAlone(text, start, end)) {
                        found = found == null ? new int[text.length()] : found;
                        found[start] = index + 1;
                    }
                }
            }
            return found;
        }

        private static boolean isWordAlone(String text, int start, int end) {
            return (start == 0 || !isWord(text.codePointBefore(start)))
                    && (end == text.length() || !isWord(text.codePointAt(end)));
        }

        /** Whether a code point is a word character in the sense of regular expressions. */
        private static boolean isWord(int each) {
            return switch (Character.getType(each)) {
                case Character.NON_SPACING_MARK,
                        Character.COMBINING_SPACING_MARK,
                        Character.ENCLOSING_MARK,
                        Character.CONNECTOR_PUNCTUATION,
                        Character.DECIMAL_DIGIT_NUMBER -> true;
                default -> Character.isAlphabetic(each) || each == '\u200c' || each == '\u200d';
            };
        }
    }
}
