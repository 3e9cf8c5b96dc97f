package dev.millrace.djl;

import java.util.function.IntBinaryOperator;
import java.util.stream.IntStream;

/** The bottom-up merge sort of places (Knuth, "The Art of Computer Programming", volume 3, 5.2.4). It is stable and boxes nothing. */
final class MergeSort {
    private MergeSort() {}

    /** Returns the places from 0 to before {@code count} in an order. Equal ones keep theirs. */
    static int[] order(int count, IntBinaryOperator comparison) {
        int[] sorted = IntStream.range(0, count).toArray();
        int[] merged = new int[count];
        for (long width = 1; width < count; width *= 2) {
            for (long from = 0; from < count; from += 2 * width) {
                int middle = (int) Math.min(count, from + width);
                int below = (int) Math.min(count, from + 2 * width);
                merge(sorted, merged, (int) from, middle, below, comparison);
            }
            int[] free = sorted;
            sorted = merged;
            merged = free;
        }
        return sorted;
    }

    private static void merge(int[] from, int[] to, int start, int middle, int below, IntBinaryOperator comparison) {
        int left = start;
        int right = middle;
        for (int i = start; i < below; i++) {
            boolean isLeft = right == below || left < middle && comparison.applyAsInt(from[left], from[right]) <= 0;
            to[i] = from[isLeft ? left++ : right++];
        }
    }
}
