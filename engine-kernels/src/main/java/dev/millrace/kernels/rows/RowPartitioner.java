package dev.millrace.kernels.rows;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;

/** Shares out rows to threads. */
public final class RowPartitioner {
    private RowPartitioner() {}

    /** Some rows, one after the other. */
    public interface Rows {
        void run(long first, long count);
    }

    /** Runs all rows, in about as many parts as there are threads, or more where these would take long. */
    public static void run(long rows, long elementsPerRow, Parallel parallel, Rows part) {
        long elements = rows * Math.max(1, elementsPerRow);
        int tasks = (int) Math.max(
                1, Math.min(rows, ParallelThresholds.tasks(elements, ParallelThresholds.ELEMENTS, parallel.width())));
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
