package dev.millrace.cli.show;

import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes text without what a terminal obeys: control characters, and those that turn the direction of text, come out as
 * {@code \\u001b} and the like. A model's names are its author's, who may mean harm.
 */
public final class PlainWriter extends FilterWriter {
    public PlainWriter(Writer out) {
        super(out);
    }

    /** The text as it is written. */
    public static String plain(String text) {
        if (text.chars().noneMatch(c -> isCommand((char) c))) {
            return text;
        }
        var plain = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isCommand(c)) {
                plain.append("\\u%04x".formatted((int) c));
            } else {
                plain.append(c);
            }
        }
        return plain.toString();
    }

    private static boolean isCommand(char c) {
        if (c == '\n' || c == '\t') {
            return false;
        }
        if (c == '\r') {
            return !System.lineSeparator().equals("\r\n");
        }
        boolean turns = (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069');
        return Character.isISOControl(c) || turns;
    }

    @Override
    public void write(int c) throws IOException {
        out.write(plain(Character.toString((char) c)));
    }

    @Override
    public void write(char[] text, int from, int length) throws IOException {
        out.write(plain(new String(text, from, length)));
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
        out.write(plain(text.substring(from, from + length)));
    }
}
