package ai.djl.huggingface.tokenizers;

import ai.djl.huggingface.tokenizers.TokenRows.SourceText;
import dev.millrace.text.TextTokens;
import dev.millrace.text.Tokenizer;
import dev.millrace.text.Truncation;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The truncation of texts, whose rest overflows into further encodings.
 *
 * @param tokenizer adds special tokens, or does not
 * @param strategy the text that is cut; null for none
 * @param most the most tokens of an encoding
 * @param stride the tokens that two parts in a row share
 */
record TokenCuts(Tokenizer tokenizer, @Nullable Truncation strategy, int most, int stride) {
    /** A text's tokens with their source. */
    record Side(TextTokens tokens, SourceText source) {
        Side part(int from, int to) {
            return new Side(tokens.part(from, to), source);
        }
    }

    TokenRows encode(Side text) {
        int room = most - tokenizer.specialTokens(false);
        Truncation cut = applied(room);
        int size = text.tokens().size();
        if (cut == null || size <= room) {
            return rows(text, null, List.of());
        }
        if (cut == Truncation.ONLY_SECOND) {
            throw new RuntimeException("Truncation error: Second sequence not provided");
        }
        List<Side> parts = parts(text, room);
        var rest = new ArrayList<TokenRows>();
        parts.subList(1, parts.size()).forEach(part -> rest.add(rest(part, null, List.of())));
        return rows(parts.getFirst(), null, rest);
    }

    TokenRows encode(Side text, Side other) {
        int room = most - tokenizer.specialTokens(true);
        Truncation cut = applied(most - tokenizer.specialTokens(false));
        int first = text.tokens().size();
        int second = other.tokens().size();
        if (cut == null || room < 0 || first + second <= room) {
            return rows(text, other, List.of());
        }
        int excess = first + second - room;
        if (cut == Truncation.ONLY_FIRST && first <= excess || cut == Truncation.ONLY_SECOND && second <= excess) {
            throw new RuntimeException(
                    "Truncation error: Sequence to truncate too short to respect the provided max_length");
        }
        int[] kept = cut.kept(first, second, room);
        return combined(parts(text, kept[0]), parts(other, kept[1]));
    }

    /** Returns the strategy; null if there is none, or if the limits leave no room for a text. */
    private @Nullable Truncation applied(int room) {
        return room < 0 || room < stride ? null : strategy;
    }

    /** Returns parts of a text in a row, each but the last with so many tokens. */
    private List<Side> parts(Side text, int length) {
        int size = text.tokens().size();
        if (length >= size) {
            return List.of(text);
        }
        if (length == 0) {
            return List.of(text.part(0, 0), text);
        }
        var parts = new ArrayList<Side>();
        int step = Math.max(1, length - stride);
        int to = 0;
        for (int from = 0; to < size; from += step) {
            to = Math.min(size, from + length);
            parts.add(text.part(from, to));
        }
        return parts;
    }

    /** Returns the first parts of both texts; all other pairs of parts overflow, in the order of Hugging Face's library. */
    private TokenRows combined(List<Side> first, List<Side> second) {
        List<Side> laterSecond = second.subList(1, second.size());
        List<Side> laterFirst = first.subList(1, first.size());
        var rest = new ArrayList<TokenRows>();
        for (Side part : laterFirst) {
            List<TokenRows> pairs = laterSecond.stream()
                    .map(other -> rest(part, other, List.of()))
                    .toList();
            rest.add(rows(part, second.getFirst(), pairs));
            rest.addAll(pairs);
        }
        for (Side other : laterSecond) {
            List<TokenRows> pairs = laterFirst.stream()
                    .map(part -> rest(part, other, List.of()))
                    .toList();
            rest.add(rest(first.getFirst(), other, pairs));
        }
        return rows(first.getFirst(), second.getFirst(), rest);
    }

    private TokenRows rows(Side text, @Nullable Side other, List<TokenRows> rest) {
        return rows(text, other, false, rest);
    }

    private TokenRows rest(Side text, @Nullable Side other, List<TokenRows> rest) {
        return rows(text, other, true, rest);
    }

    private TokenRows rows(Side text, @Nullable Side other, boolean isRest, List<TokenRows> rest) {
        return other == null
                ? new TokenRows(tokenizer.encodeTokens(text.tokens()), List.of(text.source()), isRest, rest)
                : new TokenRows(
                        tokenizer.encodeTokens(text.tokens(), other.tokens()),
                        List.of(text.source(), other.source()),
                        isRest,
                        rest);
    }
}
