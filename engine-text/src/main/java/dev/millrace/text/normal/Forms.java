package dev.millrace.text.normal;

import java.text.Normalizer;

/** The normalisation forms of Unicode, with what came from where. */
final class Forms {
    private Forms() {}

    static Aligned apply(Aligned text, Normalizer.Form form) {
        String source = text.text();
        if (Normalizer.isNormalized(source, form)) {
            return text;
        }
        var made = new Aligned.Builder();
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

    /** The end of a char with all that may combine with it. */
    private static int boundary(String text, int from) {
        int at = from + Character.charCount(text.codePointAt(from));
        while (at < text.length() && combines(text.codePointAt(at))) {
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
