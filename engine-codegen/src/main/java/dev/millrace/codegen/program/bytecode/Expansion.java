package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;

/**
 * Rewrites steps for which the Vector API has no method, or one with another meaning, as several steps that it has. A
 * remaining {@link UnaryOp#TO_INT} converts only integral floats that fit.
 */
final class Expansion {
    private static final Constant SIGN = Constant.ofBits(0x80000000);
    private static final Constant MAGNITUDE = Constant.ofBits(0x7fffffff);
    /** The value from which all floats are integers. Adding and subtracting it rounds smaller floats. */
    private static final Constant INTEGRAL = Constant.of(0x1p23f);
    /** The value whose sum with a small integral float has the integer in its lower bits. */
    private static final Constant TO_LOW_BITS = Constant.of(0x1.8p23f);

    private static final Constant BEYOND_INTS = Constant.of(0x1p31f);
    private static final Constant LEAST_INT = Constant.ofBits(Integer.MIN_VALUE);
    private static final Constant ONE = Constant.of(1);
    private static final Bounds SHORTS = Bounds.of(Short.MIN_VALUE, Short.MAX_VALUE);
    private static final Bounds BYTES = Bounds.of(0, 255);
    private static final Bounds SIGNED_BYTES = Bounds.of(Byte.MIN_VALUE, Byte.MAX_VALUE);

    private static final Constant LOW_HALF = Constant.ofBits(0xffff);
    private static final Constant HIGH_HALF = Constant.ofBits(0xffff0000);
    private static final int MANTISSA_BITS = 23;
    /** The shift that moves the bits of a half to those of a float, and the power of two that is missing then. */
    private static final int HALF_SHIFT = 13;

    private static final Constant HALF_EXPONENT = Constant.of(0x1p112f);
    private static final Constant HALF_INFINITY = Constant.ofBits(0x0f7fffff);
    private static final Constant INFINITY = Constant.of(Float.POSITIVE_INFINITY);

    /** The bounds to which ints are clamped. */
    private record Bounds(Constant least, Constant most) {
        static Bounds of(int least, int most) {
            return new Bounds(Constant.ofBits(least), Constant.ofBits(most));
        }
    }

    private final int lanes;
    private List<Step> out = new ArrayList<>();
    private int variables;

    private Expansion(Program program) {
        lanes = program.target().lanes();
        variables = program.variables();
    }

    static Program of(Program program) {
        Expansion expansion = new Expansion(program);
        List<Step> steps = expansion.all(program.steps());
        return new Program(program.name(), program.target(), program.parameters(), expansion.variables, steps);
    }

    private List<Step> all(List<Step> steps) {
        List<Step> outer = out;
        out = new ArrayList<>();
        for (Step step : steps) {
            expand(step);
        }
        List<Step> expanded = out;
        out = outer;
        return expanded;
    }

    private void expand(Step step) {
        switch (step) {
            case Step.Unary unary -> unary(unary);
            case Step.Binary binary -> binary(binary);
            case Step.Compare(Comparison op, MaskVar to, ProgramValue a, ProgramValue b)
            when op == Comparison.UNORDERED -> {
                ProgramValue nan = a.equals(b) ? a : select(compare(Comparison.NOT_EQUAL, a, a), a, b);
                out.add(new Step.Compare(Comparison.NOT_EQUAL, to, nan, nan));
            }
            case Step.Load load -> load(load);
            case Step.Reduce reduce -> reduce(reduce);
            case Step.Loop loop -> out.add(new Step.Loop(loop.counter(), loop.step(), all(loop.body())));
            case Step.If branch -> out.add(new Step.If(branch.value(), all(branch.then()), all(branch.otherwise())));
            default -> out.add(step);
        }
    }

    private VectorVar vector() {
        return new VectorVar(variables++, "x");
    }

    private VectorVar binary(BinaryOp op, ProgramValue a, ProgramValue b) {
        VectorVar to = vector();
        out.add(new Step.Binary(op, to, a, b));
        return to;
    }

    private VectorVar shift(BinaryOp op, ProgramValue a, int bits) {
        return binary(op, a, Constant.ofBits(bits));
    }

    private MaskVar compare(Comparison op, ProgramValue a, ProgramValue b) {
        MaskVar to = new MaskVar(variables++, "x");
        out.add(new Step.Compare(op, to, a, b));
        return to;
    }

    private VectorVar select(MaskVar mask, ProgramValue then, ProgramValue otherwise) {
        VectorVar to = vector();
        out.add(new Step.Select(to, mask, then, otherwise));
        return to;
    }

    private void set(VectorVar to, ProgramValue value) {
        out.add(new Step.Unary(UnaryOp.COPY, to, value));
    }

    private void unary(Step.Unary step) {
        ProgramValue a = step.a();
        switch (step.op()) {
            case ROUND -> set(step.to(), rounded(a));
            case FLOOR -> {
                VectorVar near = rounded(a);
                set(step.to(), towards(a, near, compare(Comparison.GREATER, near, a), BinaryOp.SUB));
            }
            case CEIL -> {
                VectorVar near = rounded(a);
                set(step.to(), towards(a, near, compare(Comparison.LESS, near, a), BinaryOp.ADD));
            }
            case TRUNCATE -> {
                VectorVar size = binary(BinaryOp.AND, a, MAGNITUDE);
                VectorVar near = rounded(size);
                set(step.to(), towards(a, near, compare(Comparison.GREATER, near, size), BinaryOp.SUB));
            }
            case TO_INT -> {
                VectorVar near = rounded(a);
                MaskVar fits = compare(Comparison.LESS, binary(BinaryOp.AND, near, MAGNITUDE), BEYOND_INTS);
                VectorVar number = vector();
                out.add(new Step.Unary(UnaryOp.TO_INT, number, near));
                out.add(new Step.Select(step.to(), fits, number, LEAST_INT));
            }
            default -> out.add(step);
        }
    }

    private VectorVar rounded(ProgramValue a) {
        VectorVar sign = binary(BinaryOp.AND, a, SIGN);
        VectorVar magic = binary(BinaryOp.OR, sign, INTEGRAL);
        VectorVar near = binary(BinaryOp.SUB, binary(BinaryOp.ADD, a, magic), magic);
        VectorVar signed = binary(BinaryOp.OR, near, sign);
        MaskVar small = compare(Comparison.LESS, binary(BinaryOp.AND, a, MAGNITUDE), INTEGRAL);
        return select(small, signed, a);
    }

    /**
     * Corrects {@code near} by one where the nearest integer is on the wrong side; zeros keep the sign of the argument.
     */
    private VectorVar towards(ProgramValue a, VectorVar near, MaskVar wrong, BinaryOp by) {
        VectorVar other = select(wrong, binary(by, near, ONE), near);
        return binary(BinaryOp.OR, other, binary(BinaryOp.AND, a, SIGN));
    }

    private void binary(Step.Binary step) {
        ProgramValue a = step.a();
        ProgramValue b = step.b();
        switch (step.op()) {
            case MIN -> out.add(new Step.Select(step.to(), compare(Comparison.LESS, a, b), a, b));
            case MAX -> out.add(new Step.Select(step.to(), compare(Comparison.GREATER, a, b), a, b));
            case SCALE -> scale(step.to(), a, b);
            case ADD_S16 -> {
                VectorVar low = binary(BinaryOp.AND, binary(BinaryOp.INT_ADD, a, b), LOW_HALF);
                VectorVar upperOfA = binary(BinaryOp.AND, a, HIGH_HALF);
                VectorVar high = binary(BinaryOp.INT_ADD, upperOfA, binary(BinaryOp.AND, b, HIGH_HALF));
                out.add(new Step.Binary(BinaryOp.OR, step.to(), low, high));
            }
            case ADD_S16_SATURATED -> {
                VectorVar low = clamped(binary(BinaryOp.INT_ADD, low(a), low(b)), SHORTS);
                VectorVar high = clamped(binary(BinaryOp.INT_ADD, high(a), high(b)), SHORTS);
                halves(step.to(), low, high);
            }
            case PACK_S16 -> pack(step.to(), clamped(a, SHORTS), clamped(b, SHORTS));
            case PACK_U8, PACK_S8 -> pack(step.to(), bytes(step.op(), a), bytes(step.op(), b));
            default -> out.add(step);
        }
    }

    private VectorVar low(ProgramValue halves) {
        return field(halves, 16, 16);
    }

    private VectorVar high(ProgramValue halves) {
        return shift(BinaryOp.SHIFT_RIGHT_SIGNED, halves, 16);
    }

    private VectorVar clamped(ProgramValue a, Bounds bounds) {
        return binary(BinaryOp.INT_MIN, binary(BinaryOp.INT_MAX, a, bounds.least()), bounds.most());
    }

    private void halves(VectorVar to, ProgramValue low, ProgramValue high) {
        VectorVar upper = shift(BinaryOp.SHIFT_LEFT, high, 16);
        out.add(new Step.Binary(BinaryOp.OR, to, binary(BinaryOp.AND, low, LOW_HALF), upper));
    }

    /** Packs the lower halves of the lanes of a, then of b, in each block. */
    private void pack(VectorVar to, VectorVar a, VectorVar b) {
        halves(to, binary(BinaryOp.EVEN_LANES, a, b), binary(BinaryOp.ODD_LANES, a, b));
    }

    /** Saturates both halves of each lane to bytes, in the lower half of the lane. */
    private VectorVar bytes(BinaryOp op, ProgramValue halves) {
        Bounds bounds = op == BinaryOp.PACK_U8 ? BYTES : SIGNED_BYTES;
        VectorVar low = binary(BinaryOp.AND, clamped(low(halves), bounds), Constant.ofBits(0xff));
        return binary(BinaryOp.OR, low, shift(BinaryOp.SHIFT_LEFT, clamped(high(halves), bounds), 8));
    }

    /** Extracts a signed bit field: shifts left by {@code left}, then right by {@code right} with sign. */
    private VectorVar field(ProgramValue a, int left, int right) {
        return shift(BinaryOp.SHIFT_RIGHT_SIGNED, shift(BinaryOp.SHIFT_LEFT, a, left), right);
    }

    /** Multiplies by two powers of two, since a single one may be beyond the exponents of floats. */
    private void scale(VectorVar to, ProgramValue a, ProgramValue b) {
        VectorVar all = binary(BinaryOp.INT_SUB, binary(BinaryOp.ADD, b, TO_LOW_BITS), TO_LOW_BITS);
        VectorVar second = shift(BinaryOp.SHIFT_RIGHT_SIGNED, all, 1);
        VectorVar first = binary(BinaryOp.INT_SUB, all, second);
        VectorVar product = binary(BinaryOp.MUL, a, powerOfTwo(first));
        out.add(new Step.Binary(BinaryOp.MUL, to, product, powerOfTwo(second)));
    }

    private VectorVar powerOfTwo(VectorVar exponent) {
        return binary(BinaryOp.INT_ADD, shift(BinaryOp.SHIFT_LEFT, exponent, MANTISSA_BITS), ONE);
    }

    private void load(Step.Load step) {
        switch (step.element()) {
            case F16 -> half(step.to(), words(step));
            case U8_PAIR -> {
                VectorVar words = words(step);
                VectorVar low = binary(BinaryOp.AND, words, Constant.ofBits(0xff));
                VectorVar high = shift(BinaryOp.SHIFT_LEFT, shift(BinaryOp.SHIFT_RIGHT, words, 8), 16);
                out.add(new Step.Binary(BinaryOp.OR, step.to(), low, high));
            }
            case S8_PAIR -> {
                VectorVar words = words(step);
                VectorVar low = binary(BinaryOp.AND, field(words, 24, 24), LOW_HALF);
                VectorVar high = shift(BinaryOp.SHIFT_LEFT, field(words, 16, 24), 16);
                out.add(new Step.Binary(BinaryOp.OR, step.to(), low, high));
            }
            default -> out.add(step);
        }
    }

    private VectorVar words(Step.Load step) {
        VectorVar words = vector();
        out.add(new Step.Load(words, Element.U16, step.from(), step.mask()));
        return words;
    }

    /**
     * Converts halves to floats. Shifted into place, a finite half differs only by the difference of the exponents'
     * biases, which a multiplication corrects.
     */
    private void half(VectorVar to, VectorVar half) {
        VectorVar size = shift(BinaryOp.SHIFT_LEFT, binary(BinaryOp.AND, half, Constant.ofBits(0x7fff)), HALF_SHIFT);
        VectorVar finite = binary(BinaryOp.MUL, size, HALF_EXPONENT);
        MaskVar infinite = compare(Comparison.INT_GREATER, size, HALF_INFINITY);
        VectorVar number = select(infinite, binary(BinaryOp.OR, finite, INFINITY), finite);
        VectorVar sign = binary(BinaryOp.AND, shift(BinaryOp.SHIFT_LEFT, half, 16), SIGN);
        out.add(new Step.Binary(BinaryOp.OR, to, number, sign));
    }

    private void reduce(Step.Reduce step) {
        VectorVar all = step.from();
        for (int distance = lanes / 2; distance > 0; distance /= 2) {
            List<Integer> order = new ArrayList<>();
            for (int lane = 0; lane < lanes; lane++) {
                order.add(lane ^ distance);
            }
            VectorVar other = vector();
            out.add(new Step.Permute(other, all, order));
            VectorVar combined = vector();
            binary(new Step.Binary(step.op(), combined, all, other));
            all = combined;
        }
        set(step.to(), all);
    }
}
