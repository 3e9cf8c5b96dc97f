package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.VectorVar;

/** Writes the rounding of floats, to nearest even, to those that fit 16 bits. */
final class NarrowFloats {
    /** Bits of a float's fraction that the others lack. */
    private static final int BEYOND_F16 = 13;

    private static final int BEYOND_BF16 = 16;
    private static final Constant ONE = Constant.ofBits(1);
    private static final Constant INFINITY = Constant.of(Float.POSITIVE_INFINITY);
    private static final Constant LARGEST_F16 = Constant.of(65504);
    private static final Constant NORMAL_F16 = Constant.of(0x1p-14f);
    /** The place of its last bit is that of the smallest float of 16 bits. */
    private static final Constant HALF = Constant.of(0.5f);

    private final ProgramBuilder builder;
    private final MathSteps math;

    NarrowFloats(ProgramBuilder builder) {
        this.builder = builder;
        math = new MathSteps(builder);
    }

    VectorVar toF16(ProgramValue x) {
        VectorVar magnitude = math.abs(x);
        VectorVar normal = rounded(magnitude, BEYOND_F16);
        MaskVar overflows = builder.compare(Comparison.GREATER, normal, LARGEST_F16);
        VectorVar large = builder.select(overflows, INFINITY, normal);
        VectorVar small = builder.sub(builder.add(magnitude, HALF), HALF);
        MaskVar isSmall = builder.compare(Comparison.LESS, magnitude, NORMAL_F16);
        return math.withSign(orNaN(x, builder.select(isSmall, small, large)), x);
    }

    VectorVar toBf16(ProgramValue x) {
        return orNaN(x, rounded(x, BEYOND_BF16));
    }

    private VectorVar rounded(ProgramValue x, int beyond) {
        Constant cut = Constant.ofBits(-1 << beyond);
        Constant belowHalf = Constant.ofBits((1 << beyond - 1) - 1);
        VectorVar odd =
                builder.binary(BinaryOp.AND, builder.binary(BinaryOp.SHIFT_RIGHT, x, Constant.ofBits(beyond)), ONE);
        VectorVar sum = builder.binary(BinaryOp.INT_ADD, x, builder.binary(BinaryOp.INT_ADD, odd, belowHalf));
        return builder.binary(BinaryOp.AND, sum, cut);
    }

    private VectorVar orNaN(ProgramValue x, VectorVar result) {
        return builder.select(builder.compare(Comparison.UNORDERED, x, x), x, result);
    }
}
