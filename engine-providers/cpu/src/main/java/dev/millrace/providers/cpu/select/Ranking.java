package dev.millrace.providers.cpu.select;

import java.util.Arrays;

/**
 * Numbers, the smallest first, put in order only as far as somebody asks: who wants a few of many waits for no sorting. It is
 * a heap until an eighth has been asked for; the others are sorted then.
 */
final class Ranking {
    private static final int PATIENCE = 8;

    private final long[] numbers;
    /** How many are left in the heap, or how many were sorted. */
    private int size;
    /** Where the next of the sorted ones is; negative while there is a heap: how many it may still give, less one. */
    private int next;

    /** @param numbers of which the first some will be ranked, in place */
    Ranking(long[] numbers) {
        this.numbers = numbers;
    }

    /** Begins with so many numbers. */
    void begin(int count) {
        size = count;
        next = ~(count / PATIENCE);
        for (int i = count / 2 - 1; i >= 0; i--) {
            sink(i);
        }
    }

    boolean isEmpty() {
        return Math.max(0, next) >= size;
    }

    /** Takes the smallest one. */
    long take() {
        if (next == -1) {
            Arrays.sort(numbers, 0, size);
            next = 0;
        }
        if (next >= 0) {
            return numbers[next++];
        }
        next++;
        long least = numbers[0];
        numbers[0] = numbers[--size];
        sink(0);
        return least;
    }

    private void sink(int from) {
        if (from >= size) {
            return;
        }
        int place = from;
        long number = numbers[place];
        for (int child = 2 * place + 1; child < size; child = 2 * place + 1) {
            if (child + 1 < size && numbers[child + 1] < numbers[child]) {
                child++;
            }
            if (numbers[child] >= number) {
                break;
            }
            numbers[place] = numbers[child];
            place = child;
        }
        numbers[place] = number;
    }
}
