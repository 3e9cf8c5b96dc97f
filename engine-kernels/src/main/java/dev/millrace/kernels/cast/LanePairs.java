package dev.millrace.kernels.cast;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;

/**
 * The writer of steps for as many numbers of 64 bits as a vector has lanes, which are in two vectors. Vectors of their
 * lower and of their upper halves have another order, in pairs: block k of four lanes has the numbers 2k and 2k+1 of
 * the first vector, then of the second.
 */
public final class LanePairs {
    /** The masks of the two vectors that the numbers are read from or written to. */
    public record Masks(MaskVar first, MaskVar second) {}

    private final ProgramBuilder builder;
    private final int lanes;

    public LanePairs(ProgramBuilder builder) {
        this.builder = builder;
        lanes = builder.target().lanes();
    }

    /** Returns the masks of {@code count} numbers, no more than there are lanes. */
    public Masks masks(ScalarVar count) {
        ScalarVar words = builder.scalar("words");
        ScalarVar first = builder.scalar("first");
        builder.scalar(words, ScalarOp.ADD, count, count);
        builder.scalar(first, ScalarOp.MIN, words, lanes);
        builder.scalar(words, ScalarOp.SUB, words, lanes);
        builder.scalar(words, ScalarOp.MAX, words, 0);
        return new Masks(builder.prefixMask(first), builder.prefixMask(words));
    }

    private int[] pairs() {
        int[] order = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            order[i] = i / 4 * 2 + i % 2 + (i % 4 < 2 ? 0 : lanes / 2);
        }
        return order;
    }

    /** Returns a vector in the order of the halves. */
    VectorVar paired(VectorVar inOrder) {
        return builder.permute(inOrder, pairs());
    }

    /** Returns a vector in its original order from one in the order of the halves. */
    VectorVar inOrder(VectorVar paired) {
        int[] pairs = pairs();
        int[] order = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            order[pairs[i]] = i;
        }
        return builder.permute(paired, order);
    }

    /** Returns the lower halves of the numbers, in their original order. */
    public VectorVar lower(VectorVar first, VectorVar second) {
        return inOrder(builder.binary(BinaryOp.EVEN_LANES, first, second));
    }
}
