package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;

/**
 * The writer of steps on the four bytes of each lane as signed numbers, for kernels that inspect weights while they are
 * packed.
 */
final class WordBytes {
    private static final Constant BYTE = Constant.ofBits(0xff);

    private final ProgramBuilder builder;

    WordBytes(ProgramBuilder builder) {
        this.builder = builder;
    }

    /** The sums of the positive and of the negative ones of two elements. */
    record Parts(VectorVar positive, VectorVar negative) {}

    Parts parts(VectorVar first, VectorVar second) {
        return new Parts(ofOneSign(BinaryOp.INT_MAX, first, second), ofOneSign(BinaryOp.INT_MIN, first, second));
    }

    private VectorVar ofOneSign(BinaryOp towards, VectorVar first, VectorVar second) {
        return builder.binary(
                BinaryOp.INT_ADD,
                builder.binary(towards, first, Constant.ZERO),
                builder.binary(towards, second, Constant.ZERO));
    }

    /** Returns one of the four bytes, the first being the lowest. */
    VectorVar element(VectorVar word, int number) {
        int above = Integer.SIZE - Byte.SIZE * (number + 1);
        VectorVar raised = above == 0 ? word : builder.binary(BinaryOp.SHIFT_LEFT, word, Constant.ofBits(above));
        return builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, raised, Constant.ofBits(Integer.SIZE - Byte.SIZE));
    }

    /** Returns words of four numbers, the first being the lowest byte. */
    VectorVar joined(VectorVar[] elements) {
        VectorVar words = builder.binary(BinaryOp.AND, elements[0], BYTE);
        for (int i = 1; i < elements.length; i++) {
            VectorVar low = builder.binary(BinaryOp.AND, elements[i], BYTE);
            VectorVar placed = builder.binary(BinaryOp.SHIFT_LEFT, low, Constant.ofBits(Byte.SIZE * i));
            words = builder.binary(BinaryOp.OR, words, placed);
        }
        return words;
    }
}
