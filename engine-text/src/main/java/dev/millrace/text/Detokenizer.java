package dev.millrace.text;

import java.util.Arrays;

/**
 * Decodes tokens to text as they arrive. A piece of text is returned once no later token can change it: characters that
 * consist of several tokens are returned whole. Not thread-safe.
 */
public final class Detokenizer {
    /** The number of previous tokens that determine how a piece is decoded, such as whether a space precedes it. */
    static final int AROUND = 6;

    /**
     * A number of tokens that no character consists of. After so many, incomplete bytes are returned as they decode.
     */
    private static final int LONGEST = 16;

    private static final char UNFINISHED = '\ufffd';

    private final Tokenizer tokenizer;
    private long[] ids;
    private int count;
    /** The index of the first token that is decoded as context. */
    private int start;
    /** The index of the first token whose text was not returned yet. */
    private int returned;

    /** @param before the previous tokens, whose text is not returned */
    public Detokenizer(Tokenizer tokenizer, long... before) {
        this.tokenizer = ApiBoundary.requireArgument(tokenizer, "tokenizer");
        this.ids = ApiBoundary.requireArgument(before, "before").clone();
        this.count = before.length;
        this.returned = count;
        this.start = Math.max(0, count - AROUND);
    }

    /** Adds a token and returns the text that it completes; empty where it begins a character or is a special token. */
    public String add(long id) {
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, 2 * count + AROUND);
        }
        ids[count++] = id;
        String piece = piece();
        boolean waits = piece.isEmpty() || piece.charAt(piece.length() - 1) == UNFINISHED;
        return waits && count - returned < LONGEST ? "" : taken(piece);
    }

    /** Returns the text that was held back, at the end of the tokens. */
    public String end() {
        return taken(piece());
    }

    private String taken(String piece) {
        start = returned;
        returned = count;
        return piece;
    }

    private String piece() {
        String before = text(returned);
        String all = text(count);
        int same = 0;
        while (same < before.length() && same < all.length() && before.charAt(same) == all.charAt(same)) {
            same++;
        }
        return same < before.length() ? "" : all.substring(same);
    }

    private String text(int end) {
        return tokenizer.decode(Arrays.copyOfRange(ids, start, end));
    }
}
