package dev.millrace.kernels.quantise;

import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Comparison;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.Element;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** How floats are stored; computed with are always those of 32 bits. */
public enum FloatType {
    F32(4),
    /** IEEE half precision. */
    F16(2),
    /** The upper half of a float. */
    BF16(2);

    private static final Constant HALF = Constant.ofBits(16);
    private static final Constant QUIET = Constant.ofBits(0x00400000);
    private static final Constant JUST_BELOW_HALF = Constant.ofBits(0x7fff);

    private final int bytes;

    FloatType(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    /** Writes steps that read floats. */
    public VectorVar load(ProgramBuilder builder, Address from, @Nullable MaskVar mask) {
        return switch (this) {
            case F32 -> builder.load(from, mask);
            case F16 -> builder.load(Element.F16, from, mask);
            case BF16 -> builder.binary(BinaryOp.SHIFT_LEFT, builder.load(Element.U16, from, mask), HALF);
        };
    }

    /** Writes steps that write floats, rounded to nearest even; NaN stays NaN. */
    public void store(ProgramBuilder builder, Address to, VectorVar from, @Nullable MaskVar mask) {
        switch (this) {
            case F32 -> builder.store(to, from, mask);
            case F16 -> builder.store(Element.F16, to, from, mask);
            case BF16 -> builder.store(Element.U16, to, upperHalf(builder, from), mask);
        }
    }

    private static VectorVar upperHalf(ProgramBuilder builder, VectorVar x) {
        VectorVar upper = builder.binary(BinaryOp.SHIFT_RIGHT, x, HALF);
        VectorVar odd = builder.binary(BinaryOp.AND, upper, Constant.ofBits(1));
        VectorVar bias = builder.binary(BinaryOp.INT_ADD, odd, JUST_BELOW_HALF);
        VectorVar rounded = builder.binary(BinaryOp.INT_ADD, x, bias);
        MaskVar isNaN = builder.compare(Comparison.UNORDERED, x, x);
        VectorVar all = builder.select(isNaN, builder.binary(BinaryOp.OR, x, QUIET), rounded);
        return builder.binary(BinaryOp.SHIFT_RIGHT, all, HALF);
    }
}
