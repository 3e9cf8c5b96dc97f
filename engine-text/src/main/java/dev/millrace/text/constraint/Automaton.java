package dev.millrace.text.constraint;

/**
 * A pushdown automaton over bytes. Its nodes belong to rules, each with a start and an end; an edge reads a byte of a range,
 * reads nothing, or calls a rule and goes on at its target behind the rule's end.
 *
 * @param first the index of each node's first edge; those of the last node end at the last element
 * @param labels what each edge reads: {@code low << 8 | high}, {@link #EPSILON}, or a call
 * @param targets the node behind each edge
 * @param isEnd whether each node is the end of its rule
 * @param isTail whether each edge is a call behind which its own rule ends
 * @param heights the nested calls that are needed at least from each node to the end of its rule
 * @param starts the start of each rule
 * @param start the node where a text begins
 */
record Automaton(
        int[] first,
        int[] labels,
        int[] targets,
        boolean[] isEnd,
        boolean[] isTail,
        int[] heights,
        int[] starts,
        int start) {
    /** The deepest nesting of calls. */
    static final int DEEPEST = 256;

    static final int EPSILON = -1;
    private static final int FIRST_CALL = -2;

    static int range(int low, int high) {
        return low << Byte.SIZE | high;
    }

    static int call(int rule) {
        return FIRST_CALL - rule;
    }

    static boolean isCall(int label) {
        return label <= FIRST_CALL;
    }

    /** Returns the rule that an edge calls. */
    static int rule(int label) {
        return FIRST_CALL - label;
    }

    /** Returns the first byte that an edge reads. */
    static int low(int label) {
        return label >> Byte.SIZE;
    }

    /** Returns the last byte that an edge reads. */
    static int high(int label) {
        return label & 0xff;
    }
}
