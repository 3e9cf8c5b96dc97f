package dev.millrace.cli.show;

import dev.millrace.graph.PlainText;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.Writer;

/**
 * Writes lines without what a terminal obeys. Who prints a model's names puts them through {@link PlainText#line} besides,
 * since line breaks pass here.
 */
public final class PlainWriter extends FilterWriter {
    public PlainWriter(Writer out) {
        super(out);
    }

    @Override
    public void write(int c) throws IOException {
        out.write(PlainText.lines(Character.toString((char) c)));
    }

    @Override
    public void write(char[] text, int from, int length) throws IOException {
        out.write(PlainText.lines(new String(text, from, length)));
    }

    @Override
    public void write(String text, int from, int length) throws IOException {
        out.write(PlainText.lines(text.substring(from, from + length)));
    }
}
