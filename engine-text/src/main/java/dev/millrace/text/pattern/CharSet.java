package dev.millrace.text.pattern;

import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The characters that an expression for one character matches, as {@link Pattern} reads it. Answers for the basic
 * multilingual plane are remembered by pages of 256.
 */
public final class CharSet {
    private static final byte HAS = 1;
    private static final byte HAS_NOT = 2;
    /** The expressions that have all characters beyond ASCII or none of them, if classes are not those of Unicode. */
    private static final Pattern PLAIN = Pattern.compile(
            "\\\\[dDwWsS]|\\\\x\\{[0-7]?[0-9a-f]}|\\[\\^?(?:[ -~&&[^\\[\\]\\\\&^]]|\\\\[dws -/:-@\\[-`{-~])+]");

    private final String expression;
    private final int flags;
    private final Pattern pattern;
    /** Threads may fill a page at the same time; they write the same. */
    private final byte[] @Nullable [] pages = new byte[256][];

    CharSet(String expression, int flags) {
        this.expression = expression;
        this.flags = flags;
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

    /** Returns the first and the last character of each run of them, in order. Surrogates are left out. */
    public int[] ranges() {
        boolean isUnicode = (flags & (Pattern.UNICODE_CHARACTER_CLASS | Pattern.UNICODE_CASE)) != 0;
        boolean isPlain = !isUnicode && PLAIN.matcher(expression).matches();
        int asked = isPlain ? AllCharacters.ASCII : AllCharacters.COUNT;
        int[] ranges = new int[16];
        int count = 0;
        Matcher runs = Pattern.compile(expression + "+", flags).matcher(new AllCharacters(0, asked));
        while (runs.find()) {
            ranges = count + 2 >= ranges.length ? Arrays.copyOf(ranges, 2 * ranges.length) : ranges;
            ranges[count++] = AllCharacters.point(runs.start());
            ranges[count++] = AllCharacters.point(runs.end() - 1);
        }
        if (isPlain && has(Character.MAX_CODE_POINT)) {
            ranges[count++] = AllCharacters.ASCII;
            ranges[count++] = Character.MAX_CODE_POINT;
        }
        return Arrays.copyOf(ranges, count);
    }

    /** The text of all characters in order, without surrogates that stand alone. */
    private record AllCharacters(int from, int to) implements CharSequence {
        /** The number of the first characters on which plain expressions depend. */
        static final int ASCII = 0x80;

        /** The number of characters of one char. */
        private static final int SHORT = 0x10000 - 0x800;

        static final int COUNT = SHORT + 2 * (Character.MAX_CODE_POINT - 0xffff);

        /** Returns the character of which a char is a part. */
        static int point(int at) {
            if (at < SHORT) {
                return at < Character.MIN_SURROGATE ? at : at + 0x800;
            }
            return 0x10000 + (at - SHORT) / 2;
        }

        @Override
        public int length() {
            return to - from;
        }

        @Override
        public char charAt(int index) {
            int at = from + index;
            int point = point(at);
            if (at < SHORT) {
                return (char) point;
            }
            return (at - SHORT) % 2 == 0 ? Character.highSurrogate(point) : Character.lowSurrogate(point);
        }

        @Override
        public CharSequence subSequence(int start, int end) {
            return new AllCharacters(from + start, from + end);
        }

        @Override
        public String toString() {
            return chars().collect(StringBuilder::new, (all, each) -> all.append((char) each), StringBuilder::append)
                    .toString();
        }
    }
}
