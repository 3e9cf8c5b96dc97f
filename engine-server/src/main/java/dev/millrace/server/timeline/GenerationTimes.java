package dev.millrace.server.timeline;

/**
 * The times and tokens of one generated text. Written by one thread at a time; times are nanoseconds of
 * {@link System#nanoTime()}, and 0 for what has not happened.
 */
public final class GenerationTimes {
    private final long began = System.nanoTime();
    private volatile long first;
    private volatile long last;
    private volatile int tokens;

    public long began() {
        return began;
    }

    /** The time of the first part of the text. */
    public long first() {
        return first;
    }

    /** The time of the last part so far. */
    public long last() {
        return last;
    }

    public int tokens() {
        return tokens;
    }

    /** A part of the text is there, with which the text has so many tokens. */
    public void add(int tokensSoFar) {
        long now = System.nanoTime();
        if (first == 0 && tokensSoFar > 0) {
            first = now;
        }
        last = now;
        tokens = tokensSoFar;
    }
}
