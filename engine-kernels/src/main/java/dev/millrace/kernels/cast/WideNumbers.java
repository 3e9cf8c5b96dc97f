package dev.millrace.kernels.cast;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** The writer of steps for ints of 64 bits, whose lower and upper halves are in a vector each. */
final class WideNumbers {
    private static final int SIGN = 0x80000000;

    /** The halves of as many numbers as a vector has lanes, in the order of {@link LanePairs}. */
    record Halves(VectorVar low, ProgramValue high) {}

    private final ProgramBuilder builder;
    private final int vectorBytes;

    WideNumbers(ProgramBuilder builder) {
        this.builder = builder;
        vectorBytes = builder.target().vectorBytes();
    }

    Halves load(Address from, LanePairs.@Nullable Masks masks) {
        VectorVar first = builder.load(from, masks == null ? null : masks.first());
        VectorVar second = builder.load(from.plus(vectorBytes), masks == null ? null : masks.second());
        return new Halves(
                builder.binary(BinaryOp.EVEN_LANES, first, second), builder.binary(BinaryOp.ODD_LANES, first, second));
    }

    void store(Address to, Halves numbers, LanePairs.@Nullable Masks masks) {
        VectorVar first = builder.binary(BinaryOp.INTERLEAVE_LOW, numbers.low, numbers.high);
        VectorVar second = builder.binary(BinaryOp.INTERLEAVE_HIGH, numbers.low, numbers.high);
        builder.store(to, first, masks == null ? null : masks.first());
        builder.store(to.plus(vectorBytes), second, masks == null ? null : masks.second());
    }

    /** Stores numbers past the caches, to an address that is a multiple of the bytes of a vector. */
    void stream(Address to, Halves numbers) {
        builder.stream(to, builder.binary(BinaryOp.INTERLEAVE_LOW, numbers.low, numbers.high));
        builder.stream(to.plus(vectorBytes), builder.binary(BinaryOp.INTERLEAVE_HIGH, numbers.low, numbers.high));
    }

    private VectorVar shift(BinaryOp op, ProgramValue value, int bits) {
        return builder.binary(op, value, Constant.ofBits(bits));
    }

    private VectorVar and(ProgramValue value, int bits) {
        return builder.binary(BinaryOp.AND, value, Constant.ofBits(bits));
    }

    private VectorVar or(ProgramValue a, ProgramValue b) {
        return builder.binary(BinaryOp.OR, a, b);
    }

    private VectorVar toFloat(ProgramValue value) {
        return builder.unary(UnaryOp.TO_FLOAT, value);
    }

    /**
     * Returns the nearest floats. Of the 64 bits, the upper 24 and the next 16 are exact floats, and the lowest 24
     * matter only if they are not all 0; numbers below 2^48 are two exact floats themselves.
     */
    VectorVar toFloat(Halves numbers, boolean signed) {
        BinaryOp down = signed ? BinaryOp.SHIFT_RIGHT_SIGNED : BinaryOp.SHIFT_RIGHT;
        VectorVar top = shift(down, numbers.high, 8);
        VectorVar upper = or(shift(BinaryOp.SHIFT_LEFT, numbers.high, 8), shift(BinaryOp.SHIFT_RIGHT, numbers.low, 24));
        VectorVar bottom = and(numbers.low, 0xffffff);
        VectorVar lowest = toFloat(bottom);
        VectorVar small = builder.multiplyAdd(toFloat(upper), Constant.of(0x1p24f), lowest);

        VectorVar sticky = builder.min(lowest, Constant.of(1));
        VectorVar rest = builder.multiplyAdd(toFloat(and(upper, 0xffff)), Constant.of(2), sticky);
        VectorVar scaled = builder.multiplyAdd(toFloat(top), Constant.of(0x1p17f), rest);
        VectorVar large = builder.mul(scaled, Constant.of(0x1p23f));

        // // Counted from the least int, so that one signed comparison finds what is out of range on both sides.
        ProgramValue shifted = signed ? builder.binary(BinaryOp.INT_ADD, top, Constant.ofBits(SIGN + 256)) : top;
        Constant most = Constant.ofBits(signed ? SIGN + 511 : 255);
        return builder.select(builder.compare(Comparison.INT_GREATER, shifted, most), large, small);
    }

    /**
     * Returns a float without a fraction as an int of 32 bits: NaN becomes 0, and numbers out of range the least or the
     * largest int.
     */
    VectorVar toInt(VectorVar whole, boolean signed) {
        VectorVar number = near(whole, signed);
        return signed ? limited(whole, number, 0x1p31f, Integer.MAX_VALUE) : limited(whole, number, 0x1p32f, -1);
    }

    private VectorVar near(VectorVar whole, boolean signed) {
        return signed ? builder.unary(UnaryOp.TO_INT, whole) : toUnsigned(whole);
    }

    /** Replaces NaN and numbers above the range; those below it have become the least number already. */
    private VectorVar limited(VectorVar x, VectorVar number, float beyond, int most) {
        MaskVar above = builder.compare(Comparison.GREATER_OR_EQUAL, x, Constant.of(beyond));
        MaskVar isNaN = builder.compare(Comparison.UNORDERED, x, x);
        return builder.select(isNaN, Constant.ZERO, builder.select(above, Constant.ofBits(most), number));
    }

    /** Returns a float without a fraction, up to 2^32, as an unsigned int; negative ones as a signed int. */
    private VectorVar toUnsigned(ProgramValue x) {
        MaskVar upper = builder.compare(Comparison.GREATER_OR_EQUAL, x, Constant.of(0x1p31f));
        VectorVar less = builder.sub(x, Constant.of(0x1p31f));
        VectorVar far = builder.binary(BinaryOp.XOR, builder.unary(UnaryOp.TO_INT, less), Constant.ofBits(SIGN));
        return builder.select(upper, far, builder.unary(UnaryOp.TO_INT, x));
    }

    /**
     * Returns floats rounded towards zero; NaN becomes 0, and numbers out of range the least or the largest int. The
     * lower half is first computed as a signed number, whose borrow is then subtracted from the upper one.
     */
    Halves ofFloat(VectorVar x, boolean signed) {
        VectorVar whole = builder.unary(UnaryOp.TRUNCATE, x);
        VectorVar upper = builder.unary(UnaryOp.ROUND, builder.mul(whole, Constant.of(0x1p-32f)));
        VectorVar rest = builder.multiplySubtract(upper, Constant.of(0x1p32f), whole);
        VectorVar lower = builder.select(builder.compare(Comparison.UNORDERED, rest, rest), Constant.ZERO, rest);
        VectorVar borrow = shift(BinaryOp.SHIFT_RIGHT_SIGNED, lower, Integer.SIZE - 1);
        VectorVar high = builder.binary(BinaryOp.INT_ADD, near(upper, signed), borrow);
        VectorVar low = builder.unary(UnaryOp.TO_INT, lower);
        float beyond = signed ? 0x1p63f : 0x1p64f;
        int most = signed ? Integer.MAX_VALUE : -1;
        return new Halves(limited(whole, low, beyond, -1), limited(whole, high, beyond, most));
    }
}
