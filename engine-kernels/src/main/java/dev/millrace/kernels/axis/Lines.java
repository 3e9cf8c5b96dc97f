package dev.millrace.kernels.axis;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;

/** The division of data along an axis into runs of lines side by side: rows, or columns of one block. */
final class Lines {
    /** The lines by which the work is cut, so that no two threads write to the same cache line. */
    private static final long GRAIN = 16;

    private Lines() {}

    /** The work on a run of lines. */
    interface Work {
        /**
         * @param outer the first block
         * @param inner the first line of the block
         * @param lines the number of lines: rows of as many blocks where blocks have a single line, else lines of this
         *     block
         */
        void run(long outer, long inner, long lines);
    }

    static void split(AxisShape shape, Parallel parallel, Work work) {
        long lines = shape.lines();
        long grains = (lines + GRAIN - 1) / GRAIN;
        int worth = ParallelThresholds.tasks(shape.elements(), ParallelThresholds.ELEMENTS, parallel.width());
        int tasks = (int) Math.clamp(grains, 1, worth);
        if (tasks == 1) {
            some(shape, 0, lines, work);
        } else {
            parallel.run(tasks, task -> {
                long end = task == tasks - 1 ? lines : grains * (task + 1) / tasks * GRAIN;
                some(shape, grains * task / tasks * GRAIN, end, work);
            });
        }
    }

    private static void some(AxisShape shape, long first, long end, Work work) {
        if (shape.inner() == 1) {
            work.run(first, 0, end - first);
            return;
        }
        long line = first;
        while (line < end) {
            long inner = line % shape.inner();
            long count = Math.min(shape.inner() - inner, end - line);
            work.run(line / shape.inner(), inner, count);
            line += count;
        }
    }
}
