package dev.millrace.kernels.loops;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.Worth;

/** Shares out rows to threads. */
public final class Shares {
    private Shares() {}

    /** Some rows, one after the other. */
    public interface Rows {
        void run(long first, long count);
    }

    /** Runs all rows, in about as many parts as there are threads. */
    public static void run(long rows, long elementsPerRow, Parallel parallel, Rows part) {
        long most = rows * Math.max(1, elementsPerRow) / Worth.ELEMENTS;
        int tasks = (int) Math.max(1, Math.min(Math.min(parallel.width(), rows), most));
        if (tasks == 1) {
            part.run(0, rows);
        } else {
            parallel.run(tasks, task -> {
                long first = rows * task / tasks;
                part.run(first, rows * (task + 1) / tasks - first);
            });
        }
    }
}
