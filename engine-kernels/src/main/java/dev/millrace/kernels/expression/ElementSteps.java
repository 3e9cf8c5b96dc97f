package dev.millrace.kernels.expression;

import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.BinaryOp;
import dev.millrace.kernels.program.Comparison;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.Element;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** Writes loads and stores of elements of any {@link DataType}. */
public final class ElementSteps {
    private static final Constant HALF = Constant.ofBits(16);
    private static final Constant QUIET_NAN = Constant.ofBits(0x7fc0);

    private final ProgramBuilder builder;

    public ElementSteps(ProgramBuilder builder) {
        this.builder = builder;
    }

    public VectorVar load(DataType type, Address from, @Nullable MaskVar mask) {
        return loaded(type, builder.load(type.element(), from, mask));
    }

    /** One element for all lanes. */
    public VectorVar spread(DataType type, Address from) {
        return loaded(type, builder.spread(type.element(), from));
    }

    private VectorVar loaded(DataType type, VectorVar value) {
        return type == DataType.BF16 ? builder.binary(BinaryOp.SHIFT_LEFT, value, HALF) : value;
    }

    /** @param mask one of the first lanes */
    public void store(DataType type, Address to, VectorVar value, @Nullable MaskVar mask) {
        switch (type) {
            case BF16 -> builder.store(Element.U16, to, upperHalf(value), mask);
            case S16 -> builder.store(Element.U16, to, value, mask);
            case S8 -> builder.store(Element.U8, to, value, mask);
            default -> builder.store(type.element(), to, value, mask);
        }
    }

    /** Adds just less than half of what is cut off, and a little more where that makes a tie even. */
    private VectorVar upperHalf(VectorVar value) {
        VectorVar upper = builder.binary(BinaryOp.SHIFT_RIGHT, value, HALF);
        VectorVar odd = builder.binary(BinaryOp.AND, upper, Constant.ofBits(1));
        VectorVar sum =
                builder.binary(BinaryOp.INT_ADD, builder.binary(BinaryOp.INT_ADD, value, odd), Constant.ofBits(0x7fff));
        VectorVar rounded = builder.binary(BinaryOp.SHIFT_RIGHT, sum, HALF);
        return builder.select(builder.compare(Comparison.UNORDERED, value, value), QUIET_NAN, rounded);
    }
}
