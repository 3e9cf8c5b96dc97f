package dev.millrace.text.pattern;

import dev.millrace.text.limit.Budget;

/** A pattern that is looked for in texts. It never changes; any number of threads may use it. */
@FunctionalInterface
public interface Search {
    /** The matches in a text, from left to right, none of them empty and no two overlapping. */
    Matches in(String text, Budget budget);

    /** The matches in one text. */
    interface Matches {
        /** Moves on to the next match; false where there is none. */
        boolean next();

        int start();

        int end();
    }
}
