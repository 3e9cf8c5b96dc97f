package dev.millrace.codegen.code;

import java.util.Arrays;

/**
 * The assignment of a recording's calls to tasks. A stretch is a number of consecutive tasks that may run in parallel.
 */
final class TaskRanges {
    private static final int FIRST = 8;

    /**
     * The number of the first call of each task, and after the last task of a stretch the number of the call after it.
     */
    private int[] starts = new int[FIRST];

    private int used;
    /** The index in {@link #starts} of each stretch's first task, and of that of the next stretch. */
    private int[] first = new int[FIRST];

    private DurationEstimate[] took = new DurationEstimate[FIRST];
    private int count;
    private boolean isOpen;

    /**
     * Begins a stretch with the next call.
     *
     * @return false where one is under way: nested tasks belong to the outer task
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
        took[count] = new DurationEstimate();
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

    /** Discards the stretches of all calls after the first {@code calls}. */
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

    /** The measured time of the tasks of a stretch. */
    DurationEstimate took(int stretch) {
        return took[stretch];
    }

    /** The number of a task's first call; the one after the last task is the end of the stretch. */
    int start(int stretch, int task) {
        return starts[first[stretch] + task];
    }
}
