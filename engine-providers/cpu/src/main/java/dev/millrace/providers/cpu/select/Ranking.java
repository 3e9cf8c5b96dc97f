package dev.millrace.providers.cpu.select;

import java.util.Arrays;

/**
 * Numbers in increasing order, sorted only as far as they are taken (incremental quicksort): they are partitioned as by
 * quicksort, but only the part that is taken next is partitioned again, until it is short enough to be sorted.
 */
final class Ranking {
    private static final int SHORT = 128;
    /** The most parts, with larger numbers before smaller ones. */
    private static final int PARTS = 64;

    private final long[] numbers;
    private final int[] ends = new int[PARTS];
    private int parts;
    private int next;
    private int sorted;

    /** @param numbers the numbers, the first of which are ranked in place */
    Ranking(long[] numbers) {
        this.numbers = numbers;
    }

    /** Starts with the first {@code count} numbers. */
    void begin(int count) {
        next = 0;
        sorted = 0;
        parts = count == 0 ? 0 : 1;
        ends[0] = count;
    }

    boolean isEmpty() {
        return next == sorted && parts == 0;
    }

    /** Takes the smallest number. */
    long take() {
        if (next == sorted) {
            sortMore();
        }
        return numbers[next++];
    }

    private void sortMore() {
        int end = ends[parts - 1];
        while (end - next > SHORT && parts < PARTS) {
            end = parted(next, end);
            ends[parts++] = end;
        }
        Arrays.sort(numbers, next, end);
        sorted = end;
        parts--;
    }

    /**
     * Partitions numbers around a median of three (Hoare's scheme). Returns the start of the larger ones; neither part
     * is empty.
     */
    private int parted(int first, int end) {
        long a = numbers[first];
        long b = numbers[(first + end) >>> 1];
        long c = numbers[end - 1];
        long pivot = Math.max(Math.min(a, b), Math.min(Math.max(a, b), c));
        int left = first - 1;
        int right = end;
        while (true) {
            do {
                left++;
            } while (numbers[left] < pivot);
            do {
                right--;
            } while (numbers[right] > pivot);
            if (left >= right) {
                return right + 1;
            }
            long moved = numbers[left];
            numbers[left] = numbers[right];
            numbers[right] = moved;
        }
    }
}
