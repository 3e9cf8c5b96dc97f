package dev.millrace.session.generate;

import dev.millrace.session.state.OpenSequence;

/** A text whose tokens a batch computes, and its caches. The batch alone accesses it. */
final class BatchedText {
    private static final int NONE = -1;

    private final OpenSequence own;
    private int entry = NONE;
    private long since;
    private int cached;

    /** @param own the caches of the text alone */
    BatchedText(OpenSequence own) {
        this.own = own;
    }

    OpenSequence own() {
        return own;
    }

    /** Whether the keys and values of the text are in an entry of the shared caches. */
    boolean isShared() {
        return entry != NONE;
    }

    int entry() {
        return entry;
    }

    /** @param round the number of runs so far */
    void enter(int place, long round) {
        since = entry == NONE ? round : since;
        entry = place;
    }

    void leave() {
        entry = NONE;
    }

    /** The number of runs before the text got its entry. */
    long since() {
        return since;
    }

    /** The number of tokens whose keys and values the caches have. */
    int cached() {
        return cached;
    }

    void cached(int tokens) {
        cached = tokens;
    }
}
