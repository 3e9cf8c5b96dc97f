package dev.millrace.text;

import java.util.Arrays;

/**
 * Tokens to text as they come. A piece of text is given when no later token changes it: characters that several tokens make
 * up are given whole. Not for several threads.
 */
public final class Detokenizer {
    /** So many tokens before a piece say how it is spelled: whether a space is before it, say. */
    private static final int AROUND = 6;

    /** No character is made of so many tokens; bytes that make up none are given as what they are then. */
    private static final int LONGEST = 16;

    private static final char UNFINISHED = '\ufffd';

    private final Tokenizer tokenizer;
    private long[] ids;
    private int count;
    /** The tokens from here on are looked at. */
    private int start;
    /** The text of those before this one was given. */
    private int given;

    /** @param before the tokens that are there already, of which no text is given */
    public Detokenizer(Tokenizer tokenizer, long... before) {
        this.tokenizer = Calls.given(tokenizer, "tokenizer");
        this.ids = Calls.given(before, "before").clone();
        this.count = before.length;
        this.given = count;
        this.start = Math.max(0, count - AROUND);
    }

    /** The text that a token adds; empty where it begins a character that others end, or where it is a mark of the format. */
    public String add(long id) {
        if (count == ids.length) {
            ids = Arrays.copyOf(ids, 2 * count + AROUND);
        }
        ids[count++] = id;
        String piece = piece();
        boolean waits = piece.isEmpty() || piece.charAt(piece.length() - 1) == UNFINISHED;
        return waits && count - given < LONGEST ? "" : taken(piece);
    }

    /** What was held back at the end. */
    public String end() {
        return taken(piece());
    }

    private String taken(String piece) {
        start = given;
        given = count;
        return piece;
    }

    private String piece() {
        String before = text(given);
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
