package dev.millrace.text.normalizer;

import dev.millrace.text.limit.Budget;
import java.text.Normalizer;

/** The normalisation forms of Unicode, with what came from where. */
final class Forms {
    /** The check of a text as a whole cannot be stopped. */
    private static final int SHORT = 1 << 16;

    /** The JDK's time for marks on one char grows with their square; no language has ten. */
    private static final int LONGEST = 1 << 12;

    private Forms() {}

    static Aligned apply(Aligned text, Normalizer.Form form, Budget budget) {
        String source = text.text();
        if (source.length() <= SHORT && Normalizer.isNormalized(source, form)) {
            return text;
        }
        var made = new Aligned.Builder(budget);
        int from = 0;
        while (from < source.length()) {
            int to = boundary(source, from);
            String part = source.substring(from, to);
            if (Normalizer.isNormalized(part, form)) {
                made.add(text, from, to);
            } else {
                made.add(Normalizer.normalize(part, form), text.start(from), text.end(to - 1));
            }
            from = to;
        }
        return made.build();
    }

    /** The end of a char with what may combine with it, as far as {@link #LONGEST}. */
    private static int boundary(String text, int from) {
        int at = from + Character.charCount(text.codePointAt(from));
        int most = Math.min(text.length(), from + LONGEST);
        while (at < most && combines(text.codePointAt(at))) {
            at += Character.charCount(text.codePointAt(at));
        }
        return at;
    }

    private static boolean combines(int c) {
        return switch (Character.getType(c)) {
            case Character.NON_SPACING_MARK, Character.COMBINING_SPACING_MARK, Character.ENCLOSING_MARK -> true;
            // vowels and finals of Hangul, half-width sound marks of kana
            default -> c >= 0x1160 && c <= 0x11ff || c == 0xff9e || c == 0xff9f;
        };
    }
}
