package dev.millrace.text.template;

/** The steps, memory and depth that one rendering may take. Each rendering has its own; not for several threads. */
final class Steps {
    static final int MOST_CHARS = 1 << 24;
    static final int MOST_ELEMENTS = 1 << 20;

    private static final int DEEPEST = 300;
    private static final int BETWEEN_CHECKS = 256;
    private static final int CHARS_PER_STEP = 64;
    private static final int ELEMENTS_PER_STEP = 4;

    private final long most;
    private final Runnable check;
    private long taken;
    private long nextCheck;
    private int depth;

    /** @param check is called every few hundred steps; it throws to end the rendering */
    Steps(long most, Runnable check) {
        this.most = most;
        this.check = check;
    }

    void spend(long more) {
        taken += more;
        if (taken >= nextCheck) {
            nextCheck = taken + BETWEEN_CHECKS;
            check.run();
        }
        if (taken > most) {
            throw new Failure("the template takes more than " + most + " steps");
        }
    }

    /** Counts the work on a text, and refuses one that is too long before it is made. */
    void chars(long length) {
        requireLength(length);
        spend(length / CHARS_PER_STEP);
    }

    void requireLength(long length) {
        if (length > MOST_CHARS) {
            throw new Failure("the template makes a text of more than " + MOST_CHARS + " chars");
        }
    }

    /** Counts the work on the elements of a list, and refuses one that is too long before it is made. */
    void elements(long count) {
        if (count > MOST_ELEMENTS) {
            throw new Failure("the template makes a list of more than " + MOST_ELEMENTS + " elements");
        }
        spend(count / ELEMENTS_PER_STEP);
    }

    /** Enters a nested evaluation, which is a step; {@link #leave} is due even if this fails. */
    void enter() {
        depth++;
        spend(1);
        if (depth > DEEPEST) {
            throw new Failure("the template calls itself, or its values are nested, more than " + DEEPEST + " deep");
        }
    }

    void leave() {
        depth--;
    }
}
