package dev.millrace.providers.text;

import dev.millrace.graph.EngineException;
import java.util.function.LongConsumer;

/**
 * A text that counts the reads of its characters. A pattern can backtrack for longer than anybody waits; it is stopped with
 * the run that it belongs to, or after more reads than a pattern that ends takes.
 */
public final class WatchedText implements CharSequence {
    private static final long MOST_READS = 1L << 26;
    private static final long MOST_READS_PER_CHARACTER = 1000;

    private final String text;
    private final LongConsumer check;
    private final long most;
    private long reads;

    /** @param check receives the count at each read, and throws if the run was cancelled */
    public WatchedText(String text, LongConsumer check) {
        this.text = text;
        this.check = check;
        this.most = Math.max(MOST_READS, MOST_READS_PER_CHARACTER * text.length());
    }

    @Override
    public char charAt(int index) {
        check.accept(++reads);
        if (reads > most) {
            throw EngineException.invalidArgument("the pattern looked " + most + " times at a text of " + text.length()
                    + " characters and found no end; write it without repetitions inside of repetitions");
        }
        return text.charAt(index);
    }

    @Override
    public int length() {
        return text.length();
    }

    @Override
    public CharSequence subSequence(int start, int end) {
        return text.subSequence(start, end);
    }

    @Override
    public String toString() {
        return text;
    }
}
