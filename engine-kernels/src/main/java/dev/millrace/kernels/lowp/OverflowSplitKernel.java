package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.List;

/**
 * The kernel f(panel, excess, counts, shape, fours, room): clamps the quads of a packed panel whose products
 * {@link IntegerDot#BYTES} or {@link IntegerDot#FOURS} would not sum exactly, whole vectors of columns at a time, so
 * that both the clamped quads and the rests fit. The rests are written one after the other, each followed by its
 * position in a row of A. The number of clamped quads of each vector of columns goes to counts. shape is the vectors of
 * the panel | the bytes from quad to quad &lt;&lt; 32. If there are more rests than room, only their count is correct.
 */
final class OverflowSplitKernel implements KernelFamily {
    static final String NAME = "gemm.s8.cut";
    /** The greatest sum of weights of one sign that, times 255, still has 16 bits with sign. */
    static final int MOST_IN_16_BITS = 128;

    /** @param together fours whose pairs are summed in 16 bits: one or two */
    static KernelKey key(int together) {
        return KernelKey.of(NAME).with("together", together);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("together");
        return new Writer(key.toString(), target).program(key.number("together", 1, 2));
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final WordBytes words;
        private final int bytes;
        private final ScalarVar panel;
        private final ScalarVar excess;
        private final ScalarVar counts;
        private final ScalarVar shape;
        private final ScalarVar fours;
        private final ScalarVar room;
        private final ScalarVar place;
        private final ScalarVar count;

        Writer(String name, Target target) {
            builder = new ProgramBuilder(name, target);
            words = new WordBytes(builder);
            bytes = target.vectorBytes();
            panel = builder.parameter("panel");
            excess = builder.parameter("excess");
            counts = builder.parameter("counts");
            shape = builder.parameter("shape");
            fours = builder.parameter("fours");
            room = builder.parameter("room");
            place = builder.scalar("place");
            count = builder.scalar("count");
        }

        Program program(int together) {
            ScalarVar vectors = builder.low(shape, "vectors");
            ScalarVar stride = builder.high(shape, "stride");
            try (var _ = builder.loop(vectors, 1)) {
                builder.set(place, 0);
                builder.set(count, 0);
                ScalarVar from = builder.copy(panel, "from");
                ScalarVar left = builder.copy(fours, "left");
                for (int some = together; some > 0; some--) {
                    try (var _ = builder.loop(left, some)) {
                        cutExceeding(from, stride, some);
                    }
                }
                builder.storeFirst(Address.at(counts, 0), builder.broadcast(count));
                builder.advance(counts, bytes);
                builder.advance(panel, bytes);
            }
            return builder.build();
        }

        /**
         * Clamps the columns of some consecutive quads where their sums overflow, and advances {@code from} and the
         * position behind them.
         */
        private void cutExceeding(ScalarVar from, ScalarVar stride, int some) {
            List<Address> all = List.of(Address.at(from, 0), Address.at(from, stride, 1, 0));
            ScalarVar exceeding = builder.movemask(builder.compare(
                    Comparison.INT_GREATER, most(all.subList(0, some)), Constant.ofBits(MOST_IN_16_BITS)));
            try (var _ = builder.ifNotZero(exceeding)) {
                for (Address four : all.subList(0, some)) {
                    cut(four, MOST_IN_16_BITS / 2 / some);
                    builder.advance(place, Integer.BYTES);
                }
                builder.advance(place, -some * Integer.BYTES);
            }
            builder.advance(place, some * Integer.BYTES);
            for (int i = 0; i < some; i++) {
                builder.advance(from, stride);
            }
        }

        /**
         * Returns the largest sum of the weights of one sign in pairs that are summed together, as a positive number.
         */
        private VectorVar most(List<Address> together) {
            VectorVar most = builder.vector("most");
            builder.set(most, Constant.ZERO);
            for (int first = 0; first < Integer.BYTES; first += 2) {
                VectorVar positive = builder.vector("positive");
                VectorVar negative = builder.vector("negative");
                builder.set(positive, Constant.ZERO);
                builder.set(negative, Constant.ZERO);
                for (Address four : together) {
                    VectorVar word = builder.load(four);
                    WordBytes.Parts parts = words.parts(words.element(word, first), words.element(word, first + 1));
                    builder.binary(positive, BinaryOp.INT_ADD, positive, parts.positive());
                    builder.binary(negative, BinaryOp.INT_SUB, negative, parts.negative());
                }
                builder.binary(most, BinaryOp.INT_MAX, most, builder.binary(BinaryOp.INT_MAX, positive, negative));
            }
            return most;
        }

        /** Clamps a quad to a largest magnitude, and writes the rest in as many parts as are exact. */
        private void cut(Address four, int most) {
            VectorVar left = builder.vector("left");
            builder.set(left, builder.load(four));
            builder.store(four, take(left, most));
            for (int of = MOST_IN_16_BITS - most; of > 0; of -= MOST_IN_16_BITS / 2) {
                ScalarVar lanes = builder.movemask(builder.compare(Comparison.INT_EQUAL, left, Constant.ZERO));
                ScalarVar others = builder.scalar("others");
                builder.set(others, (1L << bytes / Integer.BYTES) - 1);
                builder.scalar(others, ScalarOp.SUB, others, lanes);
                try (var _ = builder.ifNotZero(others)) {
                    put(take(left, MOST_IN_16_BITS / 2));
                }
            }
        }

        /** Clamps the bytes of words to a largest magnitude, returns them, and leaves the rests in {@code from}. */
        private VectorVar take(VectorVar from, int most) {
            VectorVar[] taken = new VectorVar[Integer.BYTES];
            VectorVar[] left = new VectorVar[Integer.BYTES];
            for (int i = 0; i < Integer.BYTES; i++) {
                VectorVar element = words.element(from, i);
                VectorVar below = builder.binary(BinaryOp.INT_MIN, element, Constant.ofBits(most));
                taken[i] = builder.binary(BinaryOp.INT_MAX, below, Constant.ofBits(-most));
                left[i] = builder.binary(BinaryOp.INT_SUB, element, taken[i]);
            }
            builder.set(from, words.joined(left));
            return words.joined(taken);
        }

        private void put(VectorVar part) {
            builder.advance(count, 1);
            try (var _ = builder.ifNotZero(room)) {
                builder.store(Address.at(excess, 0), part);
                builder.storeFirst(Address.at(excess, bytes), builder.broadcast(place));
                builder.advance(excess, bytes + Long.BYTES);
                builder.scalar(room, ScalarOp.SUB, room, 1);
            }
        }
    }
}
