package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/**
 * The reduction of angles of {@link #LEAST} and more to quarter turns and a rest, in the manner of Payne and Hanek
 * (1983). Such a float is {@code 2^(28 c)}, for a c of 0 to 3, times one that is below {@link #LEAST} {@code 2^28} and
 * a multiple of {@code 2^-5}. The number of quarter turns in {@code 2^(28 c)} is stored to more than a hundred binary
 * places, without whole multiples of {@code 2^7}: times a multiple of {@code 2^-5} these are whole turns.
 */
final class LargeAngles {
    static final Constant LEAST = Constant.of(0x1p18f);

    private static final float[] CLASSES = {0x1p46f, 0x1p74f, 0x1p102f};
    private static final float[] SCALES = {1, 0x1p-28f, 0x1p-56f, 0x1p-84f};
    /**
     * {@code 2^(28 c) 2/pi}, without multiples of {@code 2^7}, in parts of 24 bits: for each part the values for c from
     * 0 to 3.
     */
    private static final float[][] QUARTERS = {
        {0x145f3p-17f, 0x6dc9c8p-17f, 0x2a53f8p-17f, 0xeafa3ep-17f},
        {0x6dc9cp-41f, 0x82a53fp-41f, 0x4eafa3p-41f, 0xa69bb8p-41f},
        {0x882a53p-65f, 0x84eafap-65f, 0xea69bbp-65f, 0x1b6c52p-65f},
        {0xf84eafp-89f, 0x3ea69bp-89f, 0x81b6c5p-89f, 0xb32788p-89f},
        {0xa3ea69p-113f, 0xb81b6cp-113f, 0x2b3278p-113f, 0x72083fp-113f}
    };

    private static final Constant TURN = Constant.of(4);
    private static final Constant TURNS_PER_QUARTER = Constant.of(0.25f);

    private final ProgramBuilder builder;
    private final MathSteps math;
    private final ProgramValue x;
    private final VectorVar sum;
    private final VectorVar sumRest;
    private final VectorVar sumRestOfRest;

    /** @param quarters an integral float */
    record Turn(VectorVar quarters, VectorVar rest) {}

    private LargeAngles(ProgramBuilder builder, ProgramValue x) {
        this.builder = builder;
        this.x = x;
        math = new MathSteps(builder);
        sum = zero("sum");
        sumRest = zero("rest");
        sumRestOfRest = zero("more");
    }

    static Turn turn(ProgramBuilder builder, ProgramValue x) {
        return new LargeAngles(builder, x).turn();
    }

    private VectorVar zero(String name) {
        VectorVar zero = builder.vector(name);
        builder.set(zero, Constant.ZERO);
        return zero;
    }

    private Turn turn() {
        VectorVar scaled = builder.mul(math.abs(x), ofClass(SCALES));
        for (float[] part : QUARTERS) {
            VectorVar quarters = ofClass(part);
            VectorVar product = builder.mul(scaled, quarters);
            VectorVar tooMuch = builder.multiplySubtract(scaled, quarters, product);
            add(withoutTurns(product));
            add(withoutTurns(math.negate(tooMuch)));
        }
        VectorVar quarters = builder.unary(UnaryOp.ROUND, sum);
        builder.binary(sum, BinaryOp.SUB, sum, quarters);
        VectorVar more = addTo(sum, sumRest);
        builder.binary(more, BinaryOp.ADD, more, sumRestOfRest);
        VectorVar small = builder.multiplyAdd(sum, Trigonometry.QUARTER[1], builder.mul(more, Trigonometry.QUARTER[0]));
        VectorVar rest = builder.multiplyAdd(sum, Trigonometry.QUARTER[0], small);
        return new Turn(signed(quarters), signed(rest));
    }

    /**
     * Selects the number of the class that x belongs to. The magnitude is computed again each time: registers are rarer
     * here than time.
     */
    private VectorVar ofClass(float[] numbers) {
        VectorVar magnitude = math.abs(x);
        ProgramValue chosen = Constant.of(numbers[0]);
        for (int i = 0; i < CLASSES.length; i++) {
            MaskVar beyond = builder.compare(Comparison.GREATER_OR_EQUAL, magnitude, Constant.of(CLASSES[i]));
            chosen = builder.select(beyond, Constant.of(numbers[i + 1]), chosen);
        }
        return (VectorVar) chosen;
    }

    private VectorVar withoutTurns(VectorVar quarters) {
        VectorVar turns = builder.unary(UnaryOp.ROUND, builder.mul(quarters, TURNS_PER_QUARTER));
        return builder.multiplySubtract(turns, TURN, quarters);
    }

    private void add(VectorVar quarters) {
        VectorVar lost = addTo(sum, quarters);
        builder.binary(sumRestOfRest, BinaryOp.ADD, sumRestOfRest, addTo(sumRest, lost));
    }

    /** Adds to a sum and returns the rounding error, which is exactly a float (Knuth's TwoSum). */
    private VectorVar addTo(VectorVar to, VectorVar more) {
        VectorVar both = builder.add(to, more);
        VectorVar added = builder.sub(both, to);
        VectorVar kept = builder.sub(both, added);
        VectorVar lost = builder.add(builder.sub(to, kept), builder.sub(more, added));
        builder.set(to, both);
        return lost;
    }

    private VectorVar signed(VectorVar value) {
        return builder.binary(BinaryOp.XOR, value, builder.binary(BinaryOp.AND, x, Constant.ofBits(0x80000000)));
    }
}
