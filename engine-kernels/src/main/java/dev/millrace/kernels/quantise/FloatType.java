package dev.millrace.kernels.quantise;

import dev.millrace.kernels.convert.LaneNumbers;
import dev.millrace.kernels.convert.NumberType;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** How floats are stored; computed with are always those of 32 bits. */
public enum FloatType {
    F32(NumberType.F32),
    /** IEEE half precision. */
    F16(NumberType.F16),
    /** The upper half of a float. */
    BF16(NumberType.BF16);

    private final NumberType type;

    FloatType(NumberType type) {
        this.type = type;
    }

    public int bytes() {
        return type.bits() / Byte.SIZE;
    }

    /** Writes steps that read floats. */
    VectorVar load(ProgramBuilder builder, Address from, @Nullable MaskVar mask) {
        return LaneNumbers.load(builder, type, from, mask);
    }

    /** Writes steps that write floats, rounded to nearest even; NaN stays NaN. */
    void store(ProgramBuilder builder, Address to, VectorVar from, @Nullable MaskVar mask) {
        LaneNumbers.store(builder, type, to, from, mask);
    }
}
