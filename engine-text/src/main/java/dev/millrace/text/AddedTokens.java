package dev.millrace.text;

import dev.millrace.text.json.Json;
import dev.millrace.text.normal.Aligned;
import dev.millrace.text.normal.Normalizers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Tokens that are looked for in a text before it is cut into words: marks of the format, and what was added later. */
final class AddedTokens {
    private final List<Added> all;
    private final Finder raw;
    private final Finder normalized;

    /**
     * A token as it stands in a text.
     *
     * @param single whether it is none inside of a word
     * @param takesLeft whether spaces before it are part of it
     * @param takesRight whether spaces behind it are part of it
     * @param special whether it is left out where tokens become text again
     */
    record Added(int id, String text, boolean single, boolean takesLeft, boolean takesRight, boolean special) {}

    /** Some of a text: an added token, or what lies between such. */
    record Part(Aligned text, @Nullable Added token) {}

    /** @param ids the numbers of the vocabulary, which go before those that are written beside the tokens */
    AddedTokens(List<Json> descriptions, UnaryOperator<Aligned> normalizer, Map<String, Integer> ids) {
        var every = new ArrayList<Added>();
        var asTheyAre = new ArrayList<Added>();
        var asNormalized = new ArrayList<Added>();
        for (Json description : descriptions) {
            String text = description.get("content").text();
            Integer known = ids.get(text);
            var added = new Added(
                    known == null ? description.get("id").integer() : known,
                    text,
                    description.get("single_word").flag(false),
                    description.get("lstrip").flag(false),
                    description.get("rstrip").flag(false),
                    description.get("special").flag(false));
            every.add(added);
            (description.get("normalized").flag(!added.special()) ? asNormalized : asTheyAre).add(added);
        }
        all = List.copyOf(every);
        raw = new Finder(asTheyAre, UnaryOperator.identity());
        normalized = new Finder(
                asNormalized, text -> normalizer.apply(Aligned.of(text)).text());
    }

    List<Added> all() {
        return all;
    }

    /** The parts of a text as it came. */
    List<Part> inRaw(Aligned text) {
        return raw.split(text);
    }

    /** The parts of a text that was normalised. */
    List<Part> inNormalized(Aligned text) {
        return normalized.split(text);
    }

    private static final class Finder {
        private record Sought(String text, Added token) {}

        /** Those that begin with a char, the longest first. */
        private final Map<Character, List<Sought>> byFirst = new HashMap<>();

        Finder(List<Added> tokens, UnaryOperator<String> seen) {
            for (Added token : tokens) {
                String text = seen.apply(token.text());
                if (!text.isEmpty()) {
                    byFirst.computeIfAbsent(text.charAt(0), _ -> new ArrayList<>())
                            .add(new Sought(text, token));
                }
            }
            byFirst.values()
                    .forEach(list -> list.sort(Comparator.comparingInt(
                                    (Sought sought) -> sought.text().length())
                            .reversed()));
        }

        List<Part> split(Aligned text) {
            if (byFirst.isEmpty()) {
                return text.isEmpty() ? List.of() : List.of(new Part(text, null));
            }
            var parts = new ArrayList<Part>();
            String chars = text.text();
            int done = 0;
            for (int at = 0; at < chars.length(); ) {
                Sought found = find(chars, at);
                if (found == null) {
                    at++;
                    continue;
                }
                int from = at;
                int to = at + found.text().length();
                while (found.token().takesLeft() && from > done && Normalizers.isSpace(chars.charAt(from - 1))) {
                    from--;
                }
                while (found.token().takesRight() && to < chars.length() && Normalizers.isSpace(chars.charAt(to))) {
                    to++;
                }
                if (from > done) {
                    parts.add(new Part(text.slice(done, from), null));
                }
                parts.add(new Part(text.slice(from, to), found.token()));
                done = to;
                at = to;
            }
            if (done < chars.length()) {
                parts.add(new Part(text.slice(done, chars.length()), null));
            }
            return parts;
        }

        private @Nullable Sought find(String text, int at) {
            for (Sought sought : byFirst.getOrDefault(text.charAt(at), List.of())) {
                int end = at + sought.text().length();
                if (text.startsWith(sought.text(), at)
                        && (!sought.token().single() || !isWord(text, at - 1) && !isWord(text, end))) {
                    return sought;
                }
            }
            return null;
        }

        /** Whether a char is of a word, as regular expressions have it. */
        private static boolean isWord(String text, int at) {
            if (at < 0 || at >= text.length()) {
                return false;
            }
            char each = text.charAt(at);
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
