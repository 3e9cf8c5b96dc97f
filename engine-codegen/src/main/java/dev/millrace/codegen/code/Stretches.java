package dev.millrace.codegen.code;

import java.util.Arrays;

/** Which calls of a recording belong to tasks, and to which of them. A stretch is some tasks one after the other. */
final class Stretches {
    private static final int FIRST = 8;

    /** Where each task starts, and after the last one of a stretch where it ends. */
    private int[] starts = new int[FIRST];

    private int used;
    /** Where a stretch has its starts, and where the next one would have them. */
    private int[] first = new int[FIRST];

    private Took[] took = new Took[FIRST];
    private int count;
    private boolean isOpen;

    /**
     * Begins a stretch with the next call.
     *
     * @return false where one is under way: what a task has of tasks belongs to it
     */
    boolean begin(int call) {
        if (isOpen) {
            return false;
        }
        isOpen = true;
        put(call);
        return true;
    }

    void endTask(int call) {
        put(call);
    }

    void end() {
        isOpen = false;
        took[count] = new Took();
        count++;
        if (count == first.length) {
            first = Arrays.copyOf(first, 2 * count);
            took = Arrays.copyOf(took, 2 * count);
        }
        first[count] = used;
    }

    private void put(int call) {
        if (used == starts.length) {
            starts = Arrays.copyOf(starts, 2 * used);
        }
        starts[used++] = call;
    }

    /** Forgets the stretches of all calls after the first so many. */
    void cutTo(int calls) {
        while (count > 0 && starts[first[count] - 1] > calls) {
            count--;
        }
        used = first[count];
    }

    int count() {
        return count;
    }

    int tasks(int stretch) {
        return first[stretch + 1] - first[stretch] - 1;
    }

    /** How long the tasks of a stretch take. */
    Took took(int stretch) {
        return took[stretch];
    }

    /** Where a task starts; that after the last one starts where the stretch ends. */
    int start(int stretch, int task) {
        return starts[first[stretch] + task];
    }
}
