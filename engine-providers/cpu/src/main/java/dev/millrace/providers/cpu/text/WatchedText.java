package dev.millrace.providers.cpu.text;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.kernel.RunContext;

/**
 * A text that notices how often it is looked at. A pattern may look at one text more often than anybody waits for; it is
 * stopped with the run that it belongs to, or after {@value #MOST_LOOKS} looks.
 */
final class WatchedText implements CharSequence {
    static final long MOST_LOOKS = 1L << 28;

    private final String text;
    private final RunContext run;
    private long looks;

    WatchedText(String text, RunContext run) {
        this.text = text;
        this.run = run;
    }

    @Override
    public char charAt(int index) {
        run.checkCancelled(++looks);
        if (looks > MOST_LOOKS) {
            throw EngineException.invalidArgument("the pattern looked " + MOST_LOOKS + " times at a text of "
                    + text.length() + " characters and found no end; write it without repetitions inside of repetitions");
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
