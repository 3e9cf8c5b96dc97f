package dev.millrace.providers.simd.weights;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds out where the units of a constant go when it is packed: numbers are packed in their place. What few bits cannot
 * hold is packed digit by digit, with a sum of the digits behind them, since what is computed of a column looks like a
 * number, too.
 */
final class Numbering {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int NARROW = 32;
    private static final int BITS_OF_CHECK = 16;
    private static final int CHUNK = 1 << 14;
    /** So many units can be numbered. */
    static final int MOST = Integer.MAX_VALUE - CHUNK;

    private static final int SCATTER = 0x9e37_79b1;

    private final int units;
    private final Unit unit;
    private final int digits;
    private final int turns;

    /** @param units how many there are */
    Numbering(int units, Unit unit) {
        this.units = units;
        this.unit = unit;
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(units);
        digits = Math.ceilDiv(bits, unit.bits());
        turns = unit.bits() < NARROW ? digits + BITS_OF_CHECK / unit.bits() : digits;
    }

    /** None of the numbers is 0, which memory is filled up with. */
    private int digit(int number, int turn) {
        return turn < digits ? number >>> unit.bits() * turn : check(number) >>> unit.bits() * (turn - digits);
    }

    /**
     * Memory for what was packed of each digit.
     *
     * @param standIn is packed by {@code pack}
     * @param bytes what is packed takes
     */
    List<MemorySegment> packed(MemorySegment standIn, long bytes, Consumer<MemorySegment> pack, Arena arena) {
        var packed = new ArrayList<MemorySegment>();
        for (int turn = 0; turn < turns; turn++) {
            number(standIn, turn);
            MemorySegment memory = arena.allocate(bytes, Usage.ALIGNMENT);
            pack.accept(memory);
            packed.add(memory);
        }
        return packed;
    }

    private void number(MemorySegment standIn, int turn) {
        int[] numbers = new int[Math.min(units, CHUNK)];
        for (int from = 0; from < units; from += numbers.length) {
            int count = Math.min(numbers.length, units - from);
            for (int i = 0; i < count; i++) {
                numbers[i] = digit(from + i + 1, turn);
            }
            unit.write(numbers, count, standIn, from);
        }
    }

    /**
     * For each unit the first place where its number is found; -1 where it is nowhere.
     *
     * @param found the unit as it is when it was packed
     */
    MemorySegment places(List<MemorySegment> packed, Unit found, Arena arena) {
        MemorySegment places = arena.allocate((long) units * Integer.BYTES, Integer.BYTES);
        places.fill((byte) -1);
        int all = (int) Math.min(packed.getFirst().byteSize() / unit.bytes(), MOST);
        int[] numbers = new int[Math.min(all, CHUNK)];
        int[] read = new int[numbers.length];
        int[] checks = new int[numbers.length];
        for (int from = Math.max(0, (all - 1) / CHUNK) * CHUNK; from >= 0; from -= CHUNK) {
            int count = Math.min(numbers.length, all - from);
            Arrays.fill(numbers, 0);
            Arrays.fill(checks, 0);
            for (int turn = 0; turn < turns; turn++) {
                found.read(packed.get(turn), from, read, count);
                join(read, count, found.flip(), turn, numbers, checks);
            }
            for (int i = count - 1; i >= 0; i--) {
                int number = numbers[i];
                if (number > 0 && number <= units && checks[i] == check(number)) {
                    places.set(INT, (number - 1L) * Integer.BYTES, from + i);
                }
            }
        }
        return places;
    }

    private void join(int[] packed, int count, int flip, int turn, int[] numbers, int[] checks) {
        boolean ofCheck = turn >= digits;
        int[] to = ofCheck ? checks : numbers;
        int shift = unit.bits() * (ofCheck ? turn - digits : turn);
        for (int i = 0; i < count; i++) {
            to[i] |= (packed[i] ^ flip) << shift;
        }
    }

    /** What stands behind a number's digits; 0 where it has one digit only. */
    private int check(int number) {
        return turns == digits ? 0 : number * SCATTER >>> BITS_OF_CHECK;
    }
}
