package dev.millrace.kernels.cast;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** Writes loads and stores of numbers that have a lane of 32 bits each in a register: a float, or an int. */
public final class LaneNumbers {
    private static final int BF16_BITS = 16;
    /** Half of what is cut off, less one: with the last bit that stays, a half goes to the even number. */
    private static final Constant BELOW_HALF = Constant.ofBits(0x7fff);

    private static final Constant QUIET = Constant.ofBits(0x40);

    private LaneNumbers() {}

    /**
     * Reads numbers of a type that fits a lane, or doubles rounded to floats.
     *
     * @param mask one of the first lanes, or null for all
     */
    public static VectorVar load(ProgramBuilder builder, NumberType type, Address from, @Nullable MaskVar mask) {
        return loaded(builder, type, builder.load(element(type), from, mask));
    }

    /** Reads one number for all lanes. */
    public static VectorVar spread(ProgramBuilder builder, NumberType type, Address from) {
        return loaded(builder, type, builder.broadcast(element(type), from));
    }

    private static VectorVar loaded(ProgramBuilder builder, NumberType type, VectorVar bits) {
        return type == NumberType.BF16 ? builder.binary(BinaryOp.SHIFT_LEFT, bits, Constant.ofBits(BF16_BITS)) : bits;
    }

    static Element element(NumberType type) {
        return switch (type) {
            case F32, S32, U32 -> Element.WORD;
            case F16 -> Element.F16;
            case F64 -> Element.F64;
            case BF16, U16 -> Element.U16;
            case S16 -> Element.S16;
            case U8, BOOL -> Element.U8;
            case S8 -> Element.S8;
            default -> throw new IllegalArgumentException(type + " does not fit a lane");
        };
    }

    /**
     * Writes numbers of a type that fits a lane, or floats as doubles: floats rounded to nearest even, of ints the lower bits.
     *
     * @param mask one of the first lanes, or null for all
     */
    public static void store(
            ProgramBuilder builder, NumberType type, Address to, VectorVar numbers, @Nullable MaskVar mask) {
        switch (type) {
            case BF16 -> builder.store(Element.U16, to, toBf16(builder, numbers), mask);
            case S16 -> builder.store(Element.U16, to, numbers, mask);
            case S8 -> builder.store(Element.U8, to, numbers, mask);
            default -> builder.store(element(type), to, numbers, mask);
        }
    }

    private static VectorVar toBf16(ProgramBuilder builder, VectorVar x) {
        Constant bits = Constant.ofBits(BF16_BITS);
        VectorVar upper = builder.binary(BinaryOp.SHIFT_RIGHT, x, bits);
        VectorVar odd = builder.binary(BinaryOp.AND, upper, Constant.ofBits(1));
        VectorVar sum = builder.binary(BinaryOp.INT_ADD, x, builder.binary(BinaryOp.INT_ADD, odd, BELOW_HALF));
        VectorVar rounded = builder.binary(BinaryOp.SHIFT_RIGHT, sum, bits);
        MaskVar isNaN = builder.compare(Comparison.UNORDERED, x, x);
        return builder.select(isNaN, builder.binary(BinaryOp.OR, upper, QUIET), rounded);
    }
}
