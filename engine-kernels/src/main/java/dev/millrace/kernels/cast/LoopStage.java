package dev.millrace.kernels.cast;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The conversions of types that kernels do not know, as plain loops. */
enum LoopStage implements CastStage {
    F64_TO_S32(NumberType.F64, NumberType.S32) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                double x = from.getAtIndex(DOUBLE, fromFirst + i);
                to.setAtIndex(INT, toFirst + i, (int) x);
            }
        }
    },
    F64_TO_U32(NumberType.F64, NumberType.U32) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                double x = from.getAtIndex(DOUBLE, fromFirst + i);
                to.setAtIndex(INT, toFirst + i, x < 0 ? (int) x : (int) (long) Math.min(x, 0xffffffffL));
            }
        }
    },
    F64_TO_S64(NumberType.F64, NumberType.S64) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                double x = from.getAtIndex(DOUBLE, fromFirst + i);
                to.setAtIndex(LONG, toFirst + i, (long) x);
            }
        }
    },
    F64_TO_U64(NumberType.F64, NumberType.U64) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                double x = from.getAtIndex(DOUBLE, fromFirst + i);
                long number = x >= 0x1p63 ? (long) (x - 0x1p63) ^ Long.MIN_VALUE : (long) x;
                to.setAtIndex(LONG, toFirst + i, number);
            }
        }
    },
    F64_TO_BOOL(NumberType.F64, NumberType.BOOL) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                to.set(BYTE, toFirst + i, (byte) (from.getAtIndex(DOUBLE, fromFirst + i) == 0 ? 0 : 1));
            }
        }
    },
    S64_TO_F64(NumberType.S64, NumberType.F64) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                to.setAtIndex(DOUBLE, toFirst + i, from.getAtIndex(LONG, fromFirst + i));
            }
        }
    },
    U64_TO_F64(NumberType.U64, NumberType.F64) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                long number = from.getAtIndex(LONG, fromFirst + i);
                // Half of it, with the lost bit kept for the rounding.
                double large = 2.0 * (number >>> 1 | number & 1);
                to.setAtIndex(DOUBLE, toFirst + i, number >= 0 ? number : large);
            }
        }
    },
    F64_TO_F64(NumberType.F64, NumberType.F64) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            MemorySegment.copy(from, Double.BYTES * fromFirst, to, Double.BYTES * toFirst, Double.BYTES * count);
        }
    },
    S4_TO_S8(NumberType.S4, NumberType.S8) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                int number = four(from, fromFirst + i);
                to.set(BYTE, toFirst + i, (byte) (number << 28 >> 28));
            }
        }
    },
    U4_TO_U8(NumberType.U4, NumberType.U8) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            for (long i = 0; i < count; i++) {
                to.set(BYTE, toFirst + i, (byte) four(from, fromFirst + i));
            }
        }
    },
    S8_TO_S4(NumberType.S8, NumberType.S4) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            pack(from, fromFirst, to, toFirst, count);
        }
    },
    U8_TO_U4(NumberType.U8, NumberType.U4) {
        @Override
        public void run(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
            pack(from, fromFirst, to, toFirst, count);
        }
    };

    private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

    private final NumberType from;
    private final NumberType to;

    LoopStage(NumberType from, NumberType to) {
        this.from = from;
        this.to = to;
    }

    @Override
    public NumberType from() {
        return from;
    }

    @Override
    public NumberType to() {
        return to;
    }

    private static int four(MemorySegment from, long index) {
        return from.get(BYTE, index / 2) >> (index % 2 == 0 ? 0 : 4) & 15;
    }

    /** The lower four bits of each byte, from an even place on. What is left of the last byte becomes 0. */
    private static void pack(MemorySegment from, long fromFirst, MemorySegment to, long toFirst, long count) {
        for (long i = 0; i < count; i += 2) {
            int high = i + 1 < count ? from.get(BYTE, fromFirst + i + 1) : 0;
            to.set(BYTE, (toFirst + i) / 2, (byte) (from.get(BYTE, fromFirst + i) & 15 | high << 4));
        }
    }
}
