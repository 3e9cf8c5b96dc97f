package dev.millrace.graph;

/**
 * Escapes control characters in text that goes to a terminal or a log. The author of a model chooses the names in it
 * and may mean harm: a line break in a name forges a line of a log, and an escape sequence repaints a terminal.
 */
public final class PlainText {
    private PlainText() {}

    /**
     * Returns the text on one line: line breaks, tabs and other control characters, and those that change the direction
     * of text, are escaped as in Java.
     */
    public static String line(String text) {
        return escaped(text, false);
    }

    /** Escapes like {@link #line}, but keeps line breaks and tabs, for text whose lines the engine itself has made. */
    public static String lines(String text) {
        return escaped(text, true);
    }

    private static String escaped(String text, boolean keepsBreaks) {
        int first = 0;
        while (first < text.length() && isPlain(text.charAt(first), keepsBreaks)) {
            first++;
        }
        if (first == text.length()) {
            return text;
        }
        var plain = new StringBuilder(text.length() + 16).append(text, 0, first);
        for (int i = first; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isPlain(c, keepsBreaks)) {
                plain.append(c);
            } else {
                plain.append(escape(c));
            }
        }
        return plain.toString();
    }

    private static boolean isPlain(char c, boolean keepsBreaks) {
        return switch (c) {
            case '\n', '\t' -> keepsBreaks;
            case '\r' -> keepsBreaks && System.lineSeparator().equals("\r\n");
            default -> !Character.isISOControl(c) && !breaksOrTurns(c);
        };
    }

    private static boolean breaksOrTurns(char c) {
        return (c >= '\u2028' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
    }

    private static String escape(char c) {
        return switch (c) {
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            case '\t' -> "\\t";
            default -> "\\u%04x".formatted((int) c);
        };
    }
}
