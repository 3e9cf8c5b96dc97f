package dev.millrace.providers.simd.weights;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
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
        turns = unit.bits() < NARROW ? digits + BITS_OF_CHECK / unit.bits() : 1;
    }

    /** None of the numbers is 0, which memory is filled up with. */
    private int digit(int number, int turn) {
        return turn < digits
                ? number >>> unit.bits() * turn
                : number * SCATTER >>> BITS_OF_CHECK + unit.bits() * (turn - digits);
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
            for (int i = 0; i < units; i++) {
                unit.set(standIn, i, digit(i + 1, turn));
            }
            MemorySegment memory = arena.allocate(bytes, Usage.ALIGNMENT);
            pack.accept(memory);
            packed.add(memory);
        }
        return packed;
    }

    /**
     * For each unit the first place where its number is found; -1 where it is nowhere.
     *
     * @param found the unit as it is when it was packed
     */
    MemorySegment places(List<MemorySegment> packed, Unit found, Arena arena) {
        MemorySegment places = arena.allocate((long) units * Integer.BYTES, Integer.BYTES);
        places.fill((byte) -1);
        long all = Math.min(packed.getFirst().byteSize() / unit.bytes(), Integer.MAX_VALUE);
        for (int place = (int) all - 1; place >= 0; place--) {
            int number = 0;
            for (int turn = 0; turn < digits; turn++) {
                number |= (found.get(packed.get(turn), place) ^ found.flip()) << unit.bits() * turn;
            }
            if (number > 0 && number <= units && isChecked(packed, found, place, number)) {
                places.set(INT, (number - 1L) * Integer.BYTES, place);
            }
        }
        return places;
    }

    private boolean isChecked(List<MemorySegment> packed, Unit found, int place, int number) {
        int mask = unit.bits() < NARROW ? (1 << unit.bits()) - 1 : -1;
        for (int turn = digits; turn < turns; turn++) {
            if ((found.get(packed.get(turn), place) ^ found.flip()) != (digit(number, turn) & mask)) {
                return false;
            }
        }
        return true;
    }
}
