package dev.millrace.text.pattern;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The characters that an expression for one character matches, as {@link Pattern} reads it. Answers for the basic
 * multilingual plane are remembered by pages of 256.
 */
final class CharSet {
    private static final byte HAS = 1;
    private static final byte HAS_NOT = 2;

    private final Pattern pattern;
    /** Threads may fill a page at the same time; they write the same. */
    private final byte[] @Nullable [] pages = new byte[256][];

    CharSet(String expression, int flags) {
        pattern = Pattern.compile(expression, flags);
    }

    boolean has(int point) {
        if (point > Character.MAX_VALUE) {
            return looked(point);
        }
        byte[] page = pages[point >> 8];
        if (page == null) {
            page = new byte[256];
            pages[point >> 8] = page;
        }
        byte known = page[point & 255];
        if (known == 0) {
            known = looked(point) ? HAS : HAS_NOT;
            page[point & 255] = known;
        }
        return known == HAS;
    }

    private boolean looked(int point) {
        return pattern.matcher(Character.toString(point)).matches();
    }
}
