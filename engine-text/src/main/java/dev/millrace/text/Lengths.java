package dev.millrace.text;

import dev.millrace.text.json.Json;
import dev.millrace.text.vocabulary.Token;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How long encodings are.
 *
 * @param most tokens, marks included; 0 for any number
 * @param strategy which of two texts is cut: {@code LongestFirst}, {@code OnlyFirst} or {@code OnlySecond}
 * @param cutsLeft whether the beginning is cut off
 * @param fixed the length to which all are padded; 0 for that of the longest of a batch
 * @param multiple the padded length is a multiple of it
 * @param pad what padding is made of
 */
record Lengths(
        int most,
        String strategy,
        boolean cutsLeft,
        int fixed,
        int multiple,
        @Nullable Token pad,
        int padType,
        boolean padsLeft) {

    static final Lengths NONE = new Lengths(0, "LongestFirst", false, 0, 0, null, 0, false);

    static Lengths of(Json truncation, Json padding) {
        Json strategy = padding.get("strategy");
        Token pad = padding.isNull()
                ? null
                : new Token(
                        padding.get("pad_id").integer(0),
                        padding.get("pad_token").text("[PAD]"),
                        0,
                        0);
        return new Lengths(
                truncation.get("max_length").integer(0),
                truncation.get("strategy").text("LongestFirst"),
                truncation.get("direction").text("Right").equals("Left"),
                strategy.isObject() ? strategy.get("Fixed").integer(0) : 0,
                padding.get("pad_to_multiple_of").integer(0),
                pad,
                padding.get("pad_type_id").integer(0),
                padding.get("direction").text("Right").equals("Left"));
    }

    Lengths cutTo(int tokens) {
        return new Lengths(tokens, strategy, cutsLeft, fixed, multiple, pad, padType, padsLeft);
    }

    Lengths paddedWith(Token with) {
        return new Lengths(most, strategy, cutsLeft, fixed, multiple, with, padType, padsLeft);
    }

    Lengths paddedTo(int tokens) {
        return new Lengths(most, strategy, cutsLeft, tokens, multiple, pad, padType, padsLeft);
    }

    /** How many tokens are kept of two texts that have so many, where {@code added} come to them. */
    int[] kept(int first, int second, int added) {
        int room = Math.max(0, most - added);
        if (most == 0 || first + second <= room) {
            return new int[] {first, second};
        }
        return switch (strategy) {
            case "OnlyFirst" -> new int[] {Math.max(0, room - second), second};
            case "OnlySecond" -> new int[] {first, Math.max(0, room - first)};
            default -> longestFirst(first, second, room);
        };
    }

    private static int[] longestFirst(int first, int second, int room) {
        int few = Math.min(first, second);
        int many = few > room ? few : Math.max(few, room - few);
        if (few + many > room) {
            few = room / 2;
            many = few + room % 2;
        }
        return first <= second ? new int[] {few, many} : new int[] {many, few};
    }

    List<Token> cut(List<Token> tokens, int kept) {
        int size = tokens.size();
        return cutsLeft ? tokens.subList(size - kept, size) : tokens.subList(0, kept);
    }

    List<Encoding> pad(List<Encoding> encodings) {
        Token with = pad;
        if (with == null) {
            return encodings;
        }
        int longest = encodings.stream().mapToInt(Encoding::length).max().orElse(0);
        int length = fixed > 0 ? fixed : longest;
        if (multiple > 1) {
            length = Math.ceilDiv(length, multiple) * multiple;
        }
        int to = length;
        return encodings.stream()
                .map(each -> each.padded(to, with, padType, padsLeft))
                .toList();
    }
}
