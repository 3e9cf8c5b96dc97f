package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.text.json.Json;
import dev.millrace.text.vocabulary.TextToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long encodings are.
 *
 * @param most tokens, marks included; 0 for any number
 * @param strategy the one of two texts that is cut
 * @param cutsLeft whether the beginning is cut off
 * @param fixed the length to which all are padded; 0 for that of the longest of a batch
 * @param multiple the padded length is a multiple of it
 * @param pad what padding is made of, where it is known
 * @param pads whether encodings are padded
 */
record Lengths(
        int most,
        Truncation strategy,
        boolean cutsLeft,
        int fixed,
        int multiple,
        @Nullable TextToken pad,
        boolean pads,
        int padType,
        boolean padsLeft) {
    /** No model takes so many tokens. */
    private static final int MOST_PADDING = 1 << 24;

    static Lengths of(Json truncation, Json padding) {
        Json strategy = padding.get("strategy");
        TextToken pad = padding.isNull()
                ? null
                : new TextToken(
                        padding.get("pad_id").isNull()
                                ? 0
                                : padding.get("pad_id").id(),
                        padding.get("pad_token").text("[PAD]"),
                        0,
                        0);
        return new Lengths(
                truncation.get("max_length").count(0),
                strategyOf(truncation.get("strategy").text("LongestFirst")),
                truncation.get("direction").text("Right").equals("Left"),
                strategy.isObject() ? padded(strategy.get("Fixed")) : 0,
                padded(padding.get("pad_to_multiple_of")),
                pad,
                pad != null,
                padding.get("pad_type_id").integer(0),
                padding.get("direction").text("Right").equals("Left"));
    }

    private static Truncation strategyOf(String name) {
        return switch (name) {
            case "OnlyFirst" -> Truncation.ONLY_FIRST;
            case "OnlySecond" -> Truncation.ONLY_SECOND;
            default -> Truncation.LONGEST_FIRST;
        };
    }

    private static int padded(Json length) {
        int count = length.count(0);
        if (count > MOST_PADDING) {
            throw length.refused("padding to " + count + " tokens; " + MOST_PADDING + " are possible");
        }
        return count;
    }

    Lengths cutTo(int tokens) {
        return new Lengths(tokens, strategy, cutsLeft, fixed, multiple, pad, pads, padType, padsLeft);
    }

    Lengths paddedWith(TextToken with) {
        return new Lengths(most, strategy, cutsLeft, fixed, multiple, with, true, padType, padsLeft);
    }

    Lengths paddedTo(int tokens) {
        if (tokens > MOST_PADDING) {
            throw EngineException.invalidArgument(
                    "padding to " + tokens + " tokens; " + MOST_PADDING + " are possible");
        }
        return new Lengths(most, strategy, cutsLeft, tokens, multiple, pad, true, padType, padsLeft);
    }

    Lengths unpadded() {
        return new Lengths(most, strategy, cutsLeft, fixed, multiple, pad, false, padType, padsLeft);
    }

    /** Without cutting and padding; the pad token is kept for who pads again. */
    Lengths unbounded() {
        return new Lengths(0, strategy, cutsLeft, 0, 0, pad, false, padType, padsLeft);
    }

    /** How many tokens are kept of two texts that have so many, where {@code added} come to them. */
    int[] kept(int first, int second, int added) {
        return most == 0 ? new int[] {first, second} : strategy.kept(first, second, Math.max(0, most - added));
    }

    List<TextToken> cut(List<TextToken> tokens, int kept) {
        int size = tokens.size();
        return cutsLeft ? tokens.subList(size - kept, size) : tokens.subList(0, kept);
    }

    List<Encoding> pad(List<Encoding> encodings) {
        TextToken with = pad;
        if (with == null || !pads) {
            return encodings;
        }
        int longest = encodings.stream().mapToInt(Encoding::length).max().orElse(0);
        long length = fixed > 0 ? fixed : longest;
        if (multiple > 1) {
            length = Math.ceilDiv(length, multiple) * multiple;
        }
        int to = Math.toIntExact(length);
        return encodings.stream()
                .map(each -> each.padded(to, with, padType, padsLeft))
                .toList();
    }
}
