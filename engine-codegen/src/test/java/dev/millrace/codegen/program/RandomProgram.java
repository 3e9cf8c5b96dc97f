package dev.millrace.codegen.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A random program f(in, out, count, choice): reads vectors of {@code in}, computes with loops, conditions and masks,
 * and writes {@link #OUTPUTS} vectors to {@code out}.
 */
final class RandomProgram {
    static final int INPUTS = 4;
    static final int OUTPUTS = 6;

    private static final Element[] LOADED = {
        Element.U8,
        Element.S8,
        Element.U16,
        Element.S16,
        Element.F16,
        Element.F64,
        Element.WORD,
        Element.U8_PAIR,
        Element.S8_PAIR
    };
    private static final Element[] STORED = {Element.U8, Element.U16, Element.F16, Element.F64};

    private final Random random;
    private final ProgramBuilder builder;
    private final List<VectorVar> values = new ArrayList<>();
    private final ScalarVar in;
    private final ScalarVar out;
    private final ScalarVar count;
    private final ScalarVar choice;

    private RandomProgram(long seed, Target target) {
        random = new Random(seed);
        builder = new ProgramBuilder("random" + seed, target);
        in = builder.parameter("in");
        out = builder.parameter("out");
        count = builder.parameter("count");
        choice = builder.parameter("choice");
    }

    static Program of(long seed, Target target) {
        return new RandomProgram(seed, target).program();
    }

    private Program program() {
        int bytes = builder.target().vectorBytes();
        MaskVar first = builder.prefixMask(count);
        ScalarVar offset = builder.scalar("offset");
        builder.set(offset, random.nextInt(INPUTS));
        values.add(builder.load(Address.at(in, 0)));
        values.add(builder.load(Address.at(in, bytes), first));
        builder.scalar(offset, ScalarOp.MUL, offset, bytes / 8);
        values.add(builder.broadcast(Address.at(in, offset, 8, 4)));
        values.add(builder.load(Address.at(in, offset, 8, 0)));
        narrow(first, offset);
        steps(3 + random.nextInt(6));
        ScalarVar counter = builder.copy(count, "counter");
        VectorVar sum = builder.vector("sum");
        builder.set(sum, constant());
        try (var _ = builder.loop(counter, 1 + random.nextInt(3))) {
            List<VectorVar> before = List.copyOf(values);
            steps(2 + random.nextInt(4));
            builder.accumulate(sum, value(), value());
            builder.set(before.get(random.nextInt(before.size())), value());
            restore(before);
        }
        values.add(sum);
        VectorVar either = builder.vector("either");
        try (var _ = builder.ifNotZero(choice)) {
            List<VectorVar> before = List.copyOf(values);
            steps(2);
            builder.set(either, value());
            restore(before);
        }
        try (var _ = builder.otherwise()) {
            builder.set(either, value());
        }
        values.add(either);
        steps(2);
        for (int i = 0; i < OUTPUTS; i++) {
            VectorVar value = i < 2 ? values.get(values.size() - 1 - i) : vector();
            Element element = random.nextInt(3) == 0 ? STORED[random.nextInt(STORED.length)] : Element.WORD;
            if (element == Element.F64 && i == OUTPUTS - 1) {
                element = Element.F16;
            }
            ProgramValue stored = element == Element.WORD ? value : number(value);
            VectorVar register = stored instanceof VectorVar variable ? variable : value;
            if (element == Element.WORD && random.nextInt(8) == 0) {
                int count = Math.min(1 << random.nextInt(4), bytes / 4);
                int part = random.nextInt(bytes / 4 / count);
                builder.storePart(Address.at(out, i * bytes), register, part * count, count);
            } else if (element.canBeStreamed() && random.nextInt(4) == 0) {
                builder.stream(element, Address.at(out, i * bytes), register);
            } else {
                builder.store(element, Address.at(out, i * bytes), register, random.nextInt(3) == 0 ? first : null);
            }
            if (random.nextInt(4) == 0) {
                builder.move(Address.at(out, i * bytes + 8), Address.at(in, offset, 8, 3), 1 << random.nextInt(4));
            }
        }
        return builder.build();
    }

    /** Adds loads and stores of narrow elements, moves of lanes, and conversions between scalars and vectors. */
    private void narrow(MaskVar first, ScalarVar offset) {
        Element element = LOADED[random.nextInt(LOADED.length)];
        values.add(builder.load(element, Address.at(in, 4), element.isPair() || random.nextBoolean() ? null : first));
        Element spread = LOADED[random.nextInt(LOADED.length - 2)];
        values.add(builder.broadcast(spread, Address.at(in, offset, 4, 1)));
        values.add(builder.broadcast(builder.loadInt(Address.at(in, offset, 8, 8), "int")));
        ScalarVar wide = builder.loadLong(Address.at(in, 8), "long");
        builder.scalar(wide, random.nextBoolean() ? ScalarOp.MIN : ScalarOp.MAX, wide, random.nextInt(100) - 50);
        builder.scalar(wide, random.nextBoolean() ? ScalarOp.MIN : ScalarOp.MAX, offset, wide);
        values.add(builder.broadcast(wide));
        VectorVar index = builder.binary(BinaryOp.AND, value(), Constant.ofBits(15));
        values.add(builder.gather(in, index, random.nextBoolean() ? first : null));
        values.add(builder.broadcast(builder.movemask(builder.compare(Comparison.LESS, value(), value()))));
        int lanes = builder.target().lanes();
        int shift = random.nextInt(lanes);
        int zero = random.nextInt(3);
        int[] order = new int[lanes];
        for (int i = 0; i < lanes; i++) {
            int inBlock = i - i % 4 + (i + shift) % 4;
            order[i] = zero == 0 ? i < shift ? Step.Permute.ZERO_LANE : i - shift : zero == 1 ? inBlock : i * 5 % lanes;
        }
        values.add(builder.permute(vector(), order));
        if (random.nextInt(8) == 0) {
            List<VectorVar> rows = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                rows.add(builder.load(Address.at(in, 4 * i)));
            }
            List<VectorVar> columns = builder.transpose(rows);
            values.add(builder.sub(columns.get(1), columns.get(lanes - 1)));
            List<VectorVar> pairs = builder.transposePairs(columns.subList(0, lanes / 2));
            values.add(builder.binary(BinaryOp.XOR, pairs.get(1), pairs.get(lanes / 2 - 1)));
        }
    }

    /** Restores the values before a body, since values that it defines are not defined after it. */
    private void restore(List<VectorVar> before) {
        values.clear();
        values.addAll(before);
    }

    private VectorVar vector() {
        return values.get(random.nextInt(values.size()));
    }

    private Constant constant() {
        return random.nextInt(4) == 0 ? Constant.ZERO : Constant.of(random.nextInt(9) - 4 + 0.5f * random.nextInt(2));
    }

    private ProgramValue value() {
        return random.nextInt(4) == 0 ? constant() : vector();
    }

    private void steps(int number) {
        for (int i = 0; i < number; i++) {
            values.add(step());
            if (values.size() > 6) {
                values.remove(random.nextInt(values.size() - 1));
            }
        }
    }

    private VectorVar wide() {
        WideOp op = WideOp.values()[random.nextInt(WideOp.values().length)];
        return switch (op) {
            case INT_ADD, INT_SUB, INT_PRODUCT, INT_EQUAL, INT_GREATER ->
                builder.wide(op, builder.unary(UnaryOp.COPY, number()), builder.unary(UnaryOp.COPY, number()));
            default -> builder.wide(op, pairs(), pairs());
        };
    }

    /** Returns doubles from 1 to 2, whose lower halves have the same form as their upper ones. */
    private VectorVar pairs() {
        VectorVar bits = builder.binary(BinaryOp.AND, number(), Constant.ofBits(0x000fffff));
        return builder.binary(BinaryOp.OR, bits, Constant.ofBits(0x3ff00000));
    }

    private VectorVar step() {
        return switch (random.nextInt(builder.target().dots().isEmpty() ? 9 : 10)) {
            case 8 -> wide();
            case 9 -> {
                DotOp[] ops = builder.target().dots().toArray(new DotOp[0]);
                VectorVar sum = builder.unary(UnaryOp.COPY, number());
                builder.dot(ops[random.nextInt(ops.length)], sum, number(), number());
                yield sum;
            }
            case 0 -> {
                UnaryOp op = UnaryOp.values()[random.nextInt(UnaryOp.values().length)];
                yield builder.unary(op, op == UnaryOp.TO_FLOAT ? number() : value());
            }
            case 1 -> builder.multiplyAdd(value(), value(), value());
            case 2 -> builder.multiplySubtract(value(), value(), value());
            case 3 -> {
                Comparison op = Comparison.values()[random.nextInt(Comparison.values().length)];
                ProgramValue left = op.isOfInts() ? number() : value();
                ProgramValue right = op.isOfInts() ? number() : value();
                yield builder.select(builder.compare(op, left, right), value(), value());
            }
            case 4 -> {
                BinaryOp[] ops = {BinaryOp.ADD, BinaryOp.MIN, BinaryOp.MAX, BinaryOp.INT_ADD};
                BinaryOp op = ops[random.nextInt(ops.length)];
                VectorVar from = vector();
                yield builder.reduce(
                        op, op == BinaryOp.INT_ADD && number(from) instanceof VectorVar bits ? bits : from);
            }
            default -> binary(binaryOp());
        };
    }

    private BinaryOp binaryOp() {
        BinaryOp op = BinaryOp.values()[random.nextInt(BinaryOp.values().length)];
        boolean blocks = op == BinaryOp.EVEN_BLOCKS || op == BinaryOp.ODD_BLOCKS;
        return blocks && builder.target().lanes() < 8 ? BinaryOp.JOIN_LOW : op;
    }

    private VectorVar binary(BinaryOp op) {
        if (op.isShift()) {
            return builder.binary(op, number(), Constant.ofBits(random.nextInt(32)));
        }
        if (op == BinaryOp.SCALE) {
            VectorVar mantissa = builder.binary(BinaryOp.AND, number(), Constant.ofBits(0x007fffff));
            VectorVar number = builder.binary(BinaryOp.OR, mantissa, Constant.of(1));
            VectorVar low = builder.max(value(), Constant.of(-200));
            VectorVar exponent = builder.unary(UnaryOp.ROUND, builder.min(low, Constant.of(200)));
            return builder.binary(op, number, exponent);
        }
        return switch (op) {
            case INTERLEAVE_LOW, INTERLEAVE_HIGH, JOIN_LOW, JOIN_HIGH, EVEN_LANES, ODD_LANES, EVEN_BLOCKS, ODD_BLOCKS ->
                builder.binary(op, vector(), vector());
            case AND, OR, XOR, INT_ADD, INT_SUB, INT_MUL, INT_MIN, INT_MAX -> builder.binary(op, number(), number());
            case ADD_S16, ADD_S16_SATURATED, DOT_S16, DOT_U8S8_SATURATED, PACK_S16, PACK_U8, PACK_S8 ->
                builder.binary(op, number(), number());
            default -> builder.binary(op, value(), value());
        };
    }

    /** Returns a value with defined bits: not a NaN that arithmetic made. */
    private ProgramValue number() {
        return number(value());
    }

    private ProgramValue number(ProgramValue value) {
        MaskVar isNaN = builder.compare(Comparison.UNORDERED, value, value);
        return value instanceof Constant ? value : builder.select(isNaN, Constant.of(3), value);
    }
}
