package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The conversion of scaled sums to bytes: rounded to nearest even, plus a zero point, saturated. Kernels read its
 * parameters from a few words of a block of memory.
 */
public final class Requantisation {
    /** The size of these words. */
    public static final int BYTES = 16;

    private static final int ZERO = 0;
    /** The offsets of the least and the greatest float that do not saturate. */
    private static final int LEAST = 4;

    private static final int MOST = 8;
    /** The offset of the zero point, twice in 16 bits. */
    private static final int ZEROS = 12;

    private static final int BLOCK = 4;

    private Requantisation() {}

    /** Writes the words of a result into a block. */
    public static void put(QuantisedResult result, MemorySegment block, long at) {
        QuantisedOutput output = result.output();
        block.set(ValueLayout.JAVA_INT_UNALIGNED, at + ZERO, result.zeroPoint());
        block.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at + LEAST, output.least() - result.zeroPoint());
        block.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at + MOST, output.most() - result.zeroPoint());
        block.set(ValueLayout.JAVA_INT_UNALIGNED, at + ZEROS, result.zeroPoint() & 0xffff | result.zeroPoint() << 16);
    }

    /** Writes the steps from a scaled sum to an int whose lowest 8 bits are the byte. */
    public static VectorVar write(ProgramBuilder builder, VectorVar value, ScalarVar block, int at) {
        VectorVar notBelow = builder.max(value, builder.broadcast(Address.at(block, at + LEAST)));
        VectorVar within = builder.min(notBelow, builder.broadcast(Address.at(block, at + MOST)));
        VectorVar zero = builder.broadcast(Address.at(block, at + ZERO));
        return builder.binary(BinaryOp.INT_ADD, builder.unary(UnaryOp.TO_INT, within), zero);
    }

    /**
     * Returns the number of vectors, of those that are left, that {@link Packing#store} takes at once; 1 where it
     * cannot be used.
     */
    public static int together(ProgramBuilder builder, int vectors) {
        return builder.target().lanes() < 2 * BLOCK ? 1 : Math.min(Integer.highestOneBit(vectors), BLOCK);
    }

    /** The writer of stores of several vectors at once, with its constants in registers. */
    public static final class Packing {
        private final ProgramBuilder builder;
        private final boolean signed;
        /** The upper limit of the floats, or null where none exceeds the range of an int. */
        private final @Nullable VectorVar most;

        private final VectorVar zeros;

        /** @param cut whether there may be values that no int holds */
        public Packing(ProgramBuilder builder, ScalarVar block, int at, boolean signed, boolean cut) {
            this.builder = builder;
            this.signed = signed;
            most = cut ? builder.broadcast(Address.at(block, at + MOST)) : null;
            zeros = builder.broadcast(Address.at(block, at + ZEROS));
        }

        /**
         * Stores scaled sums of two or four whole vectors as bytes. The pack instructions saturate, so only values
         * beyond the range of an int have to be clamped before, if there are any: an int that is too small, or NaN,
         * becomes the smallest one.
         *
         * @param to the addresses, each of which gets an equal share of the vectors, side by side
         */
        public void store(VectorVar[] values, Address... to) {
            VectorVar[] halves = new VectorVar[values.length / 2];
            for (int i = 0; i < halves.length; i++) {
                VectorVar low = toInt(values[2 * i]);
                VectorVar high = toInt(values[2 * i + 1]);
                VectorVar pair = builder.binary(BinaryOp.PACK_S16, low, high);
                halves[i] = builder.binary(BinaryOp.ADD_S16_SATURATED, pair, zeros);
            }
            BinaryOp pack = signed ? BinaryOp.PACK_S8 : BinaryOp.PACK_U8;
            VectorVar bytes = builder.binary(pack, halves[0], halves[halves.length - 1]);
            int all = builder.target().lanes();
            VectorVar inOrder = builder.permute(bytes, order(all));
            int lanes = values.length / to.length * all / BLOCK;
            for (int i = 0; i < to.length; i++) {
                if (lanes == all) {
                    builder.store(to[i], inOrder);
                } else {
                    builder.storePart(to[i], inOrder, i * lanes, lanes);
                }
            }
        }

        private VectorVar toInt(VectorVar value) {
            return builder.unary(UnaryOp.TO_INT, most == null ? value : builder.min(most, value));
        }
    }

    /**
     * Returns the permutation that undoes the interleaving of the pack instructions, which leave the lanes of a vector
     * one block apart.
     */
    private static int[] order(int lanes) {
        int blocks = lanes / BLOCK;
        return IntStream.range(0, lanes)
                .map(i -> i % blocks * BLOCK + i / blocks)
                .toArray();
    }
}
