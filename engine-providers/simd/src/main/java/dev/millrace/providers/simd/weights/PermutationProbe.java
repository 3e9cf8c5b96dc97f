package dev.millrace.providers.simd.weights;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * A probe that finds the places of a constant's units in its packed form: numbers are packed in place of the units, and
 * looked up in the result. Numbers that do not fit a unit's bits are packed digit by digit, followed by a checksum of
 * the digits, since sums that a kernel computes per column look like numbers, too.
 */
final class PermutationProbe {
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final int NARROW = 32;
    private static final int BITS_OF_CHECK = 16;
    private static final int CHUNK = 1 << 14;
    /** The most units that can be numbered. */
    static final int MOST = Integer.MAX_VALUE - CHUNK;

    private static final int SCATTER = 0x9e37_79b1;

    private final int units;
    private final PackedElement unit;
    private final int digits;
    private final int turns;

    /** @param units the number of units */
    PermutationProbe(int units, PackedElement unit) {
        this.units = units;
        this.unit = unit;
        int bits = Integer.SIZE - Integer.numberOfLeadingZeros(units);
        digits = Math.ceilDiv(bits, unit.bits());
        turns = unit.bits() < NARROW ? digits + BITS_OF_CHECK / unit.bits() : digits;
    }

    /**
     * Returns one digit of a number or, behind its digits, of its checksum. Numbers begin with 1, since packed memory
     * is padded with 0.
     */
    private int digit(int number, int turn) {
        return turn < digits ? number >>> unit.bits() * turn : check(number) >>> unit.bits() * (turn - digits);
    }

    /**
     * Packs the numbers, once for each digit.
     *
     * @param standIn the memory that {@code pack} packs
     * @param bytes the size of the packed form
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
     * Returns for each unit the first place where its number is found; -1 where it is not.
     *
     * @param found the form of the units in packed memory
     */
    MemorySegment places(List<MemorySegment> packed, PackedElement found, Arena arena) {
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

    /** The checksum behind a number's digits (a multiplicative hash); 0 where a number has one digit only. */
    private int check(int number) {
        return turns == digits ? 0 : number * SCATTER >>> BITS_OF_CHECK;
    }
}
