package dev.millrace.text.pretokenizer;

import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** GPT-2's alphabet: a char that can be seen for each of the 256 bytes. */
public final class ByteChars {
    private static final char[] CHARS = new char[256];
    private static final int[] BYTES = new int[512];

    static {
        Arrays.fill(BYTES, -1);
        int next = 256;
        for (int b = 0; b < 256; b++) {
            boolean isSeen = b >= '!' && b <= '~' || b >= 0xa1 && b <= 0xac || b >= 0xae;
            CHARS[b] = (char) (isSeen ? b : next++);
            BYTES[CHARS[b]] = b;
        }
    }

    private ByteChars() {}

    /** Each char becomes as many as UTF-8 has bytes for it. */
    static Aligned encode(Aligned text, Budget budget) {
        return text.map(
                point -> {
                    byte[] bytes = Character.toString(point).getBytes(StandardCharsets.UTF_8);
                    var made = new StringBuilder(bytes.length);
                    for (byte each : bytes) {
                        made.append(CHARS[each & 0xff]);
                    }
                    return made.toString();
                },
                budget);
    }

    /** The byte for which a char stands, or -1. */
    public static int byteOf(char each) {
        return each < BYTES.length ? BYTES[each] : -1;
    }

    /** Returns the bytes that a text of such chars stands for. A text with other chars stands for itself. */
    public static byte[] decode(String text) {
        byte[] bytes = new byte[text.length()];
        for (int i = 0; i < bytes.length; i++) {
            int each = byteOf(text.charAt(i));
            if (each < 0) {
                return text.getBytes(StandardCharsets.UTF_8);
            }
            bytes[i] = (byte) each;
        }
        return bytes;
    }
}
