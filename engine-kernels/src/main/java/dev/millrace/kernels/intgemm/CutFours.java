package dev.millrace.kernels.intgemm;

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

/**
 * f(panel, excess, counts, shape, fours, room): cuts the fours of a packed panel that {@link IntegerDot#BYTES} would not
 * sum exactly, whole vectors of columns at a time, so that they and what is cut off both are. What is cut off is written
 * one after the other, each with its place in a row of A behind it, and how many there were of each vector to a number
 * per column. shape is the vectors of the panel | the bytes from fours to fours &lt;&lt; 32. If there are more than room,
 * only their count is right.
 */
final class CutFours implements KernelFamily {
    static final String NAME = "gemm.s8.cut";
    /** The greatest sum of weights of one sign that, times 255, still has 16 bits with sign. */
    static final int MOST_IN_16_BITS = 128;

    private static final int HALF = MOST_IN_16_BITS / 2;

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        return new Writer(key.toString(), target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final WordBytes words;
        private final int bytes;

        Writer(String name, Target target) {
            builder = new ProgramBuilder(name, target);
            words = new WordBytes(builder);
            bytes = target.vectorBytes();
        }

        Program program() {
            ScalarVar panel = builder.parameter("panel");
            ScalarVar excess = builder.parameter("excess");
            ScalarVar counts = builder.parameter("counts");
            ScalarVar shape = builder.parameter("shape");
            ScalarVar fours = builder.parameter("fours");
            ScalarVar room = builder.parameter("room");
            ScalarVar vectors = builder.low(shape, "vectors");
            ScalarVar stride = builder.high(shape, "stride");
            ScalarVar place = builder.scalar("place");
            ScalarVar count = builder.scalar("count");
            try (var _ = builder.loop(vectors, 1)) {
                builder.set(place, 0);
                builder.set(count, 0);
                ScalarVar from = builder.copy(panel, "from");
                ScalarVar left = builder.copy(fours, "left");
                try (var _ = builder.loop(left, 1)) {
                    VectorVar word = builder.load(Address.at(from, 0));
                    ScalarVar exceeding = builder.laneBits(
                            builder.compare(Comparison.INT_GREATER, most(word), Constant.ofBits(MOST_IN_16_BITS)));
                    try (var _ = builder.ifNotZero(exceeding)) {
                        builder.advance(count, 1);
                        try (var _ = builder.ifNotZero(room)) {
                            cut(word, from, excess);
                            builder.storeFirst(Address.at(excess, bytes), builder.spread(place));
                            builder.advance(excess, bytes + Long.BYTES);
                            builder.scalar(room, ScalarOp.SUB, room, 1);
                        }
                    }
                    builder.advance(from, stride);
                    builder.advance(place, Integer.BYTES);
                }
                builder.storeFirst(Address.at(counts, 0), builder.spread(count));
                builder.advance(counts, bytes);
                builder.advance(panel, bytes);
            }
            return builder.build();
        }

        /** The largest sum of what has one sign in a pair, as a positive number. */
        private VectorVar most(VectorVar word) {
            VectorVar most = builder.vector("most");
            builder.set(most, Constant.ZERO);
            for (int first = 0; first < Integer.BYTES; first += 2) {
                WordBytes.Parts parts = words.parts(words.element(word, first), words.element(word, first + 1));
                builder.binary(most, BinaryOp.INT_MAX, most, parts.positive());
                VectorVar opposite = builder.binary(BinaryOp.INT_SUB, Constant.ZERO, parts.negative());
                builder.binary(most, BinaryOp.INT_MAX, most, opposite);
            }
            return most;
        }

        private void cut(VectorVar word, ScalarVar kept, ScalarVar excess) {
            VectorVar[] halves = new VectorVar[Integer.BYTES];
            VectorVar[] others = new VectorVar[Integer.BYTES];
            for (int i = 0; i < Integer.BYTES; i++) {
                VectorVar element = words.element(word, i);
                VectorVar below = builder.binary(BinaryOp.INT_MIN, element, Constant.ofBits(HALF));
                halves[i] = builder.binary(BinaryOp.INT_MAX, below, Constant.ofBits(-HALF));
                others[i] = builder.binary(BinaryOp.INT_SUB, element, halves[i]);
            }
            builder.store(Address.at(kept, 0), words.joined(halves));
            builder.store(Address.at(excess, 0), words.joined(others));
        }
    }
}
