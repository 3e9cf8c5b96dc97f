package dev.millrace.text.template;

import java.util.List;

/** Reads the tokens inside a tag: names, strings, numbers and operators. */
final class WordLexer {
    private static final List<String> OPERATORS = List.of(
            "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<",
            "=", ".", ":", "|", ",");

    private final Source source;
    private final String text;
    private final List<TemplateToken> tokens;
    /** The closing brackets that are awaited. */
    private final StringBuilder awaited = new StringBuilder();

    WordLexer(Source source, List<TemplateToken> tokens) {
        this.source = source;
        this.text = source.text();
        this.tokens = tokens;
    }

    /** Tells whether a bracket is open. */
    boolean isOpen() {
        return !awaited.isEmpty();
    }

    /** Reads the token that begins at a place, and returns the place after it. */
    int next(int at) {
        char first = text.charAt(at);
        if (Chars.isDigit(first)) {
            return number(at);
        }
        if (first == '"' || first == '\'') {
            return string(at, first);
        }
        if (Character.isUnicodeIdentifierStart(first) || first == '_') {
            int end = at;
            while (end < text.length() && Character.isUnicodeIdentifierPart(text.charAt(end))) {
                end++;
            }
            return added(TemplateToken.Kind.NAME, at, end);
        }
        for (String operator : OPERATORS) {
            if (text.startsWith(operator, at)) {
                match(first, at);
                return added(TemplateToken.Kind.OPERATOR, at, at + operator.length());
            }
        }
        throw source.error(at, "the character '" + first + "' has no meaning here");
    }

    private int added(TemplateToken.Kind kind, int from, int to) {
        tokens.add(new TemplateToken(kind, text.substring(from, to), from));
        return to;
    }

    private void match(char bracket, int at) {
        int kind = "([{".indexOf(bracket);
        if (kind >= 0) {
            awaited.append(")]}".charAt(kind));
        } else if (")]}".indexOf(bracket) >= 0) {
            int last = awaited.length() - 1;
            if (last < 0 || awaited.charAt(last) != bracket) {
                throw source.error(at, "'" + bracket + "' closes no bracket");
            }
            awaited.setLength(last);
        }
    }

    private int number(int at) {
        if (text.charAt(at) == '0' && at + 1 < text.length() && "xXoObB".indexOf(text.charAt(at + 1)) >= 0) {
            int end = at + 2;
            while (end < text.length() && (Character.digit(text.charAt(end), 16) >= 0 || text.charAt(end) == '_')) {
                end++;
            }
            return added(TemplateToken.Kind.INTEGER, at, end);
        }
        int end = digits(at);
        // an index after a dot, as in a.0.1, is no decimal fraction
        boolean isIndex = at > 0 && text.charAt(at - 1) == '.';
        boolean isFloat = !isIndex && end + 1 < text.length() && text.charAt(end) == '.' && isDigitAt(end + 1);
        end = isFloat ? digits(end + 1) : end;
        if (end < text.length() && (text.charAt(end) == 'e' || text.charAt(end) == 'E')) {
            int signed = end + 1 < text.length() && "+-".indexOf(text.charAt(end + 1)) >= 0 ? end + 2 : end + 1;
            if (isDigitAt(signed)) {
                return added(TemplateToken.Kind.FLOAT, at, digits(signed));
            }
        }
        return added(isFloat ? TemplateToken.Kind.FLOAT : TemplateToken.Kind.INTEGER, at, end);
    }

    private boolean isDigitAt(int at) {
        return at < text.length() && Chars.isDigit(text.charAt(at));
    }

    private int digits(int from) {
        int end = from;
        while (isDigitAt(end) || end > from && isDigitAt(end + 1) && text.charAt(end) == '_') {
            end++;
        }
        return end;
    }

    private int string(int at, char quote) {
        var content = new StringBuilder();
        int i = at + 1;
        while (i < text.length() && text.charAt(i) != quote) {
            i = text.charAt(i) == '\\' && i + 1 < text.length() ? escape(i, content) : plain(i, content);
        }
        if (i >= text.length()) {
            throw source.error(at, "the string has no end");
        }
        tokens.add(new TemplateToken(TemplateToken.Kind.STRING, content.toString(), at));
        return i + 1;
    }

    private int plain(int at, StringBuilder content) {
        content.append(text.charAt(at));
        return at + 1;
    }

    /** Resolves an escape as Python does; an unknown one stays as it is. */
    private int escape(int at, StringBuilder content) {
        char kind = text.charAt(at + 1);
        int simple = "abfnrtv\\'\"".indexOf(kind);
        if (simple >= 0) {
            content.append("\007\b\f\n\r\t\013\\'\"".charAt(simple));
            return at + 2;
        }
        return switch (kind) {
            case '\n' -> at + 2;
            case 'x' -> code(at, 2, content);
            case 'u' -> code(at, 4, content);
            case 'U' -> code(at, 8, content);
            case '0', '1', '2', '3', '4', '5', '6', '7' -> octal(at + 1, content);
            default -> {
                content.append('\\').append(kind);
                yield at + 2;
            }
        };
    }

    private int code(int at, int digits, StringBuilder content) {
        int end = at + 2 + digits;
        int value = 0;
        for (int i = at + 2; i < end; i++) {
            int digit = i < text.length() ? Character.digit(text.charAt(i), 16) : -1;
            if (digit < 0 || value > Character.MAX_CODE_POINT) {
                throw source.error(at, "the escape of the string needs " + digits + " hexadecimal digits");
            }
            value = 16 * value + digit;
        }
        if (!Character.isValidCodePoint(value)) {
            throw source.error(at, "the escape of the string is no character");
        }
        content.appendCodePoint(value);
        return end;
    }

    private int octal(int from, StringBuilder content) {
        int value = 0;
        int i = from;
        for (; i < Math.min(from + 3, text.length()) && text.charAt(i) >= '0' && text.charAt(i) <= '7'; i++) {
            value = 8 * value + text.charAt(i) - '0';
        }
        content.append((char) value);
        return i;
    }
}
