package dev.millrace.text.pattern;

import java.util.regex.Pattern;

/** A kind of place in a text, between two of its chars. */
public enum Place {
    BEGIN,
    END,
    /** The end, or before a line terminator that is the last. */
    LAST_LINE_END,
    LINE_BEGIN,
    LINE_END,
    WORD_BORDER,
    NO_WORD_BORDER;

    private static final CharSet WORD = new CharSet("\\w", Pattern.UNICODE_CHARACTER_CLASS);

    boolean is(String text, int at) {
        int end = text.length();
        return switch (this) {
            case BEGIN -> at == 0;
            case END -> at == end;
            case LAST_LINE_END -> at == end || isTerminator(text, at) && at + terminator(text, at) == end;
            case LINE_BEGIN -> at == 0 || at < end && isBehindTerminator(text, at);
            case LINE_END -> at == end || isTerminator(text, at);
            case WORD_BORDER -> isWordBefore(text, at) != isWordAt(text, at);
            case NO_WORD_BORDER -> isWordBefore(text, at) == isWordAt(text, at);
        };
    }

    /** Whether a line terminator begins there; the feed behind a carriage return is none of its own. */
    private static boolean isTerminator(String text, int at) {
        return switch (text.charAt(at)) {
            case '\n' -> at == 0 || text.charAt(at - 1) != '\r';
            case '\r', '\u0085', '\u2028', '\u2029' -> true;
            default -> false;
        };
    }

    private static boolean isBehindTerminator(String text, int at) {
        return switch (text.charAt(at - 1)) {
            case '\r' -> !isFeed(text, at);
            case '\n', '\u0085', '\u2028', '\u2029' -> true;
            default -> false;
        };
    }

    private static int terminator(String text, int at) {
        return text.charAt(at) == '\r' && isFeed(text, at + 1) ? 2 : 1;
    }

    private static boolean isFeed(String text, int at) {
        return at < text.length() && text.charAt(at) == '\n';
    }

    private static boolean isWordBefore(String text, int at) {
        return at > 0 && WORD.has(text.codePointBefore(at));
    }

    private static boolean isWordAt(String text, int at) {
        return at < text.length() && WORD.has(text.codePointAt(at));
    }
}
