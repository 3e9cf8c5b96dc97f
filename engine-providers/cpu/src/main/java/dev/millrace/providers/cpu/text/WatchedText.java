package dev.millrace.providers.cpu.text;

import dev.millrace.graph.EngineException;
import java.util.function.LongConsumer;

/**
 * A text that notices how often it is looked at. A pattern may look at one text more often than anybody waits for; it is
 * stopped with the run that it belongs to, or after more looks than a pattern that ends takes.
 */
final class WatchedText implements CharSequence {
    private static final long MOST_LOOKS = 1L << 26;
    private static final long MOST_LOOKS_PER_CHARACTER = 1000;

    private final String text;
    private final LongConsumer check;
    private final long most;
    private long looks;

    /** @param check told the count at each look, ends what was cancelled */
    WatchedText(String text, LongConsumer check) {
        this.text = text;
        this.check = check;
        this.most = Math.max(MOST_LOOKS, MOST_LOOKS_PER_CHARACTER * text.length());
    }

    @Override
    public char charAt(int index) {
        check.accept(++looks);
        if (looks > most) {
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
