package dev.millrace.providers.cpu.select;

/** Numbers longs in the order in which they were first added: a table for small ones, one with open addressing for others. */
public final class Numbering {
    private static final int LEAST_SLOTS = 16;
    private static final int SMALL = 1024;

    /** The number of a small key and one more, or zero. */
    private final int[] small = new int[SMALL];

    private long[] keys = new long[LEAST_SLOTS];
    /** The number of the key of a slot and one more, or zero where the slot is free. */
    private int[] numbers = new int[LEAST_SLOTS];

    private int size;

    /** The number of a key, which gets the next one if it has none. */
    public int add(long key) {
        if (isSmall(key)) {
            if (small[(int) key] == 0) {
                small[(int) key] = ++size;
            }
            return small[(int) key] - 1;
        }
        if (2 * (size + 1) > keys.length) {
            grow();
        }
        int slot = slot(keys, numbers, key);
        if (numbers[slot] == 0) {
            keys[slot] = key;
            numbers[slot] = ++size;
        }
        return numbers[slot] - 1;
    }

    /** The number of a key, or -1 where it was never added. */
    public int find(long key) {
        return (isSmall(key) ? small[(int) key] : numbers[slot(keys, numbers, key)]) - 1;
    }

    private static boolean isSmall(long key) {
        return key >= 0 && key < SMALL;
    }

    public int size() {
        return size;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldNumbers = numbers;
        keys = new long[2 * oldKeys.length];
        numbers = new int[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldNumbers[i] != 0) {
                int slot = slot(keys, numbers, oldKeys[i]);
                keys[slot] = oldKeys[i];
                numbers[slot] = oldNumbers[i];
            }
        }
    }

    /** The slot of a key, or the free one that it would get. */
    private static int slot(long[] keys, int[] numbers, long key) {
        int mask = keys.length - 1;
        long mixed = (key ^ key >>> 32) * 0x9e3779b97f4a7c15L;
        int slot = (int) (mixed >>> 32) & mask;
        while (numbers[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }
}
