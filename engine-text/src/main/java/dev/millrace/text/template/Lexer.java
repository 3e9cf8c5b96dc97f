package dev.millrace.text.template;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits a template into tokens. White space is controlled as with Jinja's {@code trim_blocks} and {@code lstrip_blocks}:
 * a line break after a tag goes, and so does the indentation before it, unless a {@code +} keeps them.
 */
final class Lexer {
    private final Source source;
    private final String text;
    private final List<TemplateToken> tokens = new ArrayList<>();
    private int at;

    private Lexer(Source source) {
        this.source = source;
        this.text = source.text();
    }

    static List<TemplateToken> tokens(Source source) {
        var lexer = new Lexer(source);
        while (lexer.at < lexer.text.length()) {
            lexer.next();
        }
        lexer.add(TemplateToken.Kind.END, "", lexer.text.length());
        return List.copyOf(lexer.tokens);
    }

    private void add(TemplateToken.Kind kind, String content, int place) {
        tokens.add(new TemplateToken(kind, content, place));
    }

    /** Reads text up to the next tag, and the tag. */
    private void next() {
        int open = opening(at);
        if (open < 0) {
            add(TemplateToken.Kind.TEXT, text.substring(at), at);
            at = text.length();
            return;
        }
        boolean print = text.charAt(open + 1) == '{';
        int sign = sign(open + 2);
        textBefore(open, sign, print);
        at = open + 2 + (sign == 0 ? 0 : 1);
        if (print) {
            add(TemplateToken.Kind.PRINT_BEGIN, "{{", open);
            expression("}}", TemplateToken.Kind.PRINT_END, open);
        } else if (text.charAt(open + 1) == '#') {
            comment(open);
        } else if (isWord("raw")) {
            raw(open);
        } else {
            add(TemplateToken.Kind.TAG_BEGIN, "{%", open);
            expression("%}", TemplateToken.Kind.TAG_END, open);
        }
    }

    private int opening(int from) {
        for (int i = text.indexOf('{', from); i >= 0 && i + 1 < text.length(); i = text.indexOf('{', i + 1)) {
            if ("{%#".indexOf(text.charAt(i + 1)) >= 0) {
                return i;
            }
        }
        return -1;
    }

    /** Returns the sign that controls white space at a place, or 0. */
    private int sign(int place) {
        int next = place < text.length() ? text.charAt(place) : 0;
        return next == '-' || next == '+' ? next : 0;
    }

    private void textBefore(int end, int sign, boolean print) {
        int stop = end;
        if (sign == '-') {
            while (stop > at && Chars.isSpace(text.charAt(stop - 1))) {
                stop--;
            }
        } else if (sign == 0 && !print) {
            int blank = end;
            while (blank > at && text.charAt(blank - 1) != '\n' && Chars.isSpace(text.charAt(blank - 1))) {
                blank--;
            }
            stop = blank == 0 || text.charAt(blank - 1) == '\n' ? blank : end;
        }
        if (stop > at) {
            add(TemplateToken.Kind.TEXT, text.substring(at, stop), at);
        }
    }

    private void comment(int open) {
        int close = text.indexOf("#}", at);
        if (close < 0) {
            throw source.error(open, "the comment has no end");
        }
        // the sign of {#-#} is that of its beginning
        int sign = close > at ? sign(close - 1) : 0;
        at = close + 2;
        skipAfter(sign, true);
    }

    /** Skips what an end of a tag takes away: all white space, or one line break. */
    private void skipAfter(int sign, boolean trims) {
        if (sign == '-') {
            skipSpace();
        } else if (sign == 0 && trims && text.startsWith("\n", at)) {
            at++;
        }
    }

    private void skipSpace() {
        at = Chars.afterSpace(text, at);
    }

    /** Tells whether the tag that begins here consists of a word alone. */
    private boolean isWord(String word) {
        int begin = Chars.afterSpace(text, at);
        if (!text.startsWith(word, begin)) {
            return false;
        }
        int end = Chars.afterSpace(text, begin + word.length());
        return text.startsWith("%}", end) || sign(end) != 0 && text.startsWith("%}", end + 1);
    }

    /** Skips the end of a tag, {@code %}} with or without a sign. */
    private void wordEnd(boolean trims) {
        int end = text.indexOf("%}", at);
        int sign = sign(end - 1);
        at = end + 2;
        skipAfter(sign, trims);
    }

    private void raw(int open) {
        wordEnd(false);
        for (int tag = text.indexOf("{%", at); tag >= 0; tag = text.indexOf("{%", tag + 2)) {
            int begin = at;
            int sign = sign(tag + 2);
            at = tag + 2 + (sign == 0 ? 0 : 1);
            boolean ends = isWord("endraw");
            int inner = at;
            at = begin;
            if (ends) {
                textBefore(tag, sign, false);
                at = inner;
                wordEnd(true);
                return;
            }
        }
        throw source.error(open, "'raw' has no 'endraw'");
    }

    /** Reads tokens up to the end of the tag, which does not count inside of brackets. */
    private void expression(String end, TemplateToken.Kind endKind, int open) {
        var words = new WordLexer(source, tokens);
        while (true) {
            skipSpace();
            if (at >= text.length()) {
                throw source.error(open, "the tag has no end");
            }
            int sign = text.startsWith(end, at + 1) ? sign(at) : 0;
            int close = sign == 0 ? at : at + 1;
            if (!words.isOpen() && text.startsWith(end, close)) {
                add(endKind, end, at);
                at = close + 2;
                skipAfter(sign, endKind == TemplateToken.Kind.TAG_END);
                return;
            }
            at = words.next(at);
        }
    }
}
