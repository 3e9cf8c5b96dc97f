package dev.millrace.kernels.reduce;

import java.util.ArrayList;
import java.util.List;

/**
 * One stage of a reduction: it reduces the middle dimension of three.
 *
 * @param parts the number of parts that are reduced first, for threads and for smaller rounding errors
 * @param partLength the length of a part in the reduced dimension; the last one may be shorter
 */
record ReduceStage(long outer, long reduced, long inner, long parts, long partLength) {
    /** Numbers of a row that one chain of additions may have, times the chains. */
    private static final long ROW_PART = 8192;

    private static final long MOST_ROWS = 4096;
    private static final long LEAST_ROWS = 64;
    /** Numbers of a part of several columns. */
    private static final long COLUMNS_PART = 32 * 1024;
    /** Results that keep threads busy without parts. */
    private static final long MANY_RESULTS = 2048;

    /** The width up to which columns count as few: several rows are then reduced as if they were one. */
    private static final long FEW_COLUMNS = 64;

    private static final long LEAST_WIDTH = 16;

    static ReduceStage of(long outer, long reduced, long inner) {
        long length = inner == 1 ? ROW_PART : Math.clamp(COLUMNS_PART / inner, LEAST_ROWS, MOST_ROWS);
        boolean longOnes = inner == 1 || reduced > MOST_ROWS || outer * inner < MANY_RESULTS;
        boolean cut = longOnes && reduced >= 2 * length;
        return new ReduceStage(outer, reduced, inner, cut ? Math.ceilDiv(reduced, length) : 1, cut ? length : reduced);
    }

    private static ReduceStage whole(long outer, long reduced, long inner) {
        return new ReduceStage(outer, reduced, inner, 1, reduced);
    }

    /** Returns the stage that combines the results of the parts. */
    ReduceStage ofParts() {
        return whole(outer, parts, inner);
    }

    long results() {
        return outer * inner;
    }

    /** The number of results of the parts, which {@link #ofParts} reduces. */
    long partialResults() {
        return parts > 1 ? outer * parts * inner : 0;
    }

    boolean isOfRows() {
        return inner == 1;
    }

    /**
     * Returns the stages of a reduction, the innermost dimensions first.
     *
     * @param shape extents with at least one element
     */
    static List<ReduceStage> of(long[] shape, boolean[] isReduced) {
        List<Long> counts = new ArrayList<>();
        List<Boolean> reduced = new ArrayList<>();
        for (int i = 0; i < shape.length; i++) {
            int last = counts.size() - 1;
            if (shape[i] != 1 && last >= 0 && reduced.get(last) == isReduced[i]) {
                counts.set(last, counts.get(last) * shape[i]);
            } else if (shape[i] != 1) {
                counts.add(shape[i]);
                reduced.add(isReduced[i]);
            }
        }
        List<ReduceStage> stages = new ArrayList<>();
        long inner = 1;
        for (int i = counts.size() - 1; i >= 0; i--) {
            if (reduced.get(i)) {
                long outer = counts.subList(0, i).stream().reduce(1L, (a, b) -> a * b);
                add(stages, outer, counts.get(i), inner);
            } else {
                inner *= counts.get(i);
            }
        }
        if (stages.isEmpty()) {
            stages.add(whole(1, 1, inner));
        }
        return stages;
    }

    private static void add(List<ReduceStage> stages, long outer, long reduced, long inner) {
        for (long rows = FEW_COLUMNS / inner; inner > 1 && rows * inner >= LEAST_WIDTH && rows > 1; rows--) {
            if (reduced % rows == 0 && reduced / rows > 1) {
                stages.add(of(outer, reduced / rows, rows * inner));
                stages.add(of(outer, rows, inner));
                return;
            }
        }
        stages.add(of(outer, reduced, inner));
    }
}
