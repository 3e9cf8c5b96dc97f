package dev.millrace.kernels.expression;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * How an input of a test lies that is repeated along some dimensions of the output.
 *
 * @param strides in its elements
 * @param count its elements, with those that are skipped
 */
record Repeated(List<Long> strides, long count) {
    static Repeated random(List<Long> extents, Random random) {
        List<Long> strides = new ArrayList<>();
        long next = random.nextInt(8) == 0 ? 2 : 1;
        long last = 0;
        for (long extent : extents.reversed()) {
            long stride = random.nextInt(3) == 0 ? 0 : next;
            strides.addFirst(stride);
            last += Math.max(0, extent - 1) * stride;
            next = stride == 0 ? next : next * Math.max(1, extent);
        }
        return new Repeated(strides, extents.contains(0L) ? 0 : last + 1);
    }

    /** Which of its elements stands at a place of the output. */
    long place(long index, List<Long> extents) {
        long left = index;
        long place = 0;
        for (int i = extents.size() - 1; i >= 0; i--) {
            place += left % extents.get(i) * strides.get(i);
            left /= extents.get(i);
        }
        return place;
    }
}
