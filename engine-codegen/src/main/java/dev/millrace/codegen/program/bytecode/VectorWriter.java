package dev.millrace.codegen.program.bytecode;

import static dev.millrace.codegen.program.bytecode.VectorCode.FLOATS;
import static dev.millrace.codegen.program.bytecode.VectorCode.INTS;
import static dev.millrace.codegen.program.bytecode.VectorCode.MASK;
import static dev.millrace.codegen.program.bytecode.VectorCode.SPECIES;
import static dev.millrace.codegen.program.bytecode.VectorCode.VECTOR;

import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.WideOp;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/** Writes the steps that an {@link Expansion} leaves as calls of the Vector API. */
final class VectorWriter extends MemoryWriter {
    private static final ClassDesc UNARY = VectorCode.inApi("VectorOperators$Unary");
    private static final ClassDesc BINARY = VectorCode.inApi("VectorOperators$Binary");
    private static final ClassDesc COMPARISON = VectorCode.inApi("VectorOperators$Comparison");

    private final VectorSpecies<Float> species;

    VectorWriter(VectorCode vectors, VectorMachine machine) {
        super(vectors, machine);
        species = VectorSpecies.of(float.class, VectorShape.forBitSize(32 * lanes));
    }

    @Override
    public void unary(Step.Unary step) {
        if (step.op() == UnaryOp.TO_FLOAT) {
            vectors.pushInts(step.a());
            convert("I2F", INTS, FLOATS);
            vectors.setFloats(step.to());
            return;
        }
        vectors.pushFloats(step.a());
        switch (step.op()) {
            case COPY -> vectors.setFloats(step.to());
            case SQRT -> {
                vectors.pushOperator("SQRT", "Unary");
                vectors.call(FLOATS, "lanewise", FLOATS, UNARY);
                vectors.setFloats(step.to());
            }
            case TO_INT -> {
                convert("F2I", FLOATS, INTS);
                vectors.setInts(step.to());
            }
            default -> throw new IllegalArgumentException(step.toString());
        }
    }

    @Override
    public void binary(Step.Binary step) {
        if (step.op().movesLanes()) {
            moveLanes(step);
        } else if (step.op().isShift()) {
            vectors.pushInts(step.a());
            vectors.pushOperator(
                    switch (step.op()) {
                        case SHIFT_LEFT -> "LSHL";
                        case SHIFT_RIGHT -> "LSHR";
                        default -> "ASHR";
                    },
                    "Binary");
            code.loadConstant(((Constant) step.b()).bits());
            vectors.call(INTS, "lanewise", INTS, BINARY, ConstantDescs.CD_int);
            vectors.setInts(step.to());
        } else {
            switch (step.op()) {
                case ADD -> floats(step, "add");
                case SUB -> floats(step, "sub");
                case MUL -> floats(step, "mul");
                case DIV -> floats(step, "div");
                case AND -> ints(step, "and");
                case OR -> ints(step, "or");
                case XOR -> xor(step);
                case INT_ADD -> ints(step, "add");
                case INT_SUB -> ints(step, "sub");
                case INT_MUL -> ints(step, "mul");
                case INT_MIN -> ints(step, "min");
                case INT_MAX -> ints(step, "max");
                case DOT_S16 -> products(step, "ofHalves");
                case DOT_U8S8_SATURATED -> products(step, "ofBytes");
                default -> throw new IllegalArgumentException(step.toString());
            }
        }
    }

    @Override
    public void wide(Step.Wide step) {
        vectors.push(step.op());
        vectors.pushFloats(step.a());
        vectors.pushFloats(step.b());
        ClassDesc op = VectorCode.desc(WideOp.class);
        vectors.callStatic(VectorCode.desc(WideLanes.class), "of", FLOATS, op, FLOATS, FLOATS);
        vectors.setFloats(step.to());
    }

    private void floats(Step.Binary step, String method) {
        vectors.pushFloats(step.a());
        vectors.pushFloats(step.b());
        vectors.call(FLOATS, method, FLOATS, VECTOR);
        vectors.setFloats(step.to());
    }

    private void ints(Step.Binary step, String method) {
        vectors.pushInts(step.a());
        vectors.pushInts(step.b());
        vectors.call(INTS, method, INTS, VECTOR);
        vectors.setInts(step.to());
    }

    private void products(Step.Binary step, String method) {
        vectors.pushInts(step.a());
        vectors.pushInts(step.b());
        vectors.callStatic(VectorCode.desc(LaneProducts.class), method, INTS, INTS, INTS);
        vectors.setInts(step.to());
    }

    private void xor(Step.Binary step) {
        vectors.pushInts(step.a());
        vectors.pushOperator("XOR", "Associative");
        vectors.pushInts(step.b());
        vectors.call(INTS, "lanewise", INTS, BINARY, VECTOR);
        vectors.setInts(step.to());
    }

    /** Each operand in the order of the result, then blended by where a lane comes from. */
    private void moveLanes(Step.Binary step) {
        int[] order = TwoSources.order(step.op(), lanes);
        boolean[] fromSecond = new boolean[lanes];
        for (int i = 0; i < lanes; i++) {
            fromSecond[i] = order[i] >= lanes;
            order[i] %= lanes;
        }
        vectors.pushFloats(step.a());
        rearrange(order);
        vectors.pushFloats(step.b());
        rearrange(order);
        blend(fromSecond);
        vectors.setFloats(step.to());
    }

    private void rearrange(int[] order) {
        vectors.pushData(VectorShuffle.fromValues(species, order), VectorCode.SHUFFLE);
        vectors.call(FLOATS, "rearrange", FLOATS, VectorCode.SHUFFLE);
    }

    private void blend(boolean[] lanesOfSecond) {
        vectors.pushData(VectorMask.fromValues(species, lanesOfSecond), MASK);
        blend();
    }

    private void blend() {
        vectors.call(FLOATS, "blend", FLOATS, VECTOR, MASK);
    }

    @Override
    public void permute(Step.Permute step) {
        int[] order = new int[lanes];
        boolean[] zero = new boolean[lanes];
        for (int i = 0; i < lanes; i++) {
            zero[i] = step.lanes().get(i) == Step.Permute.ZERO_LANE;
            order[i] = Math.max(0, step.lanes().get(i));
        }
        vectors.pushFloats(step.from());
        rearrange(order);
        if (step.lanes().contains(Step.Permute.ZERO_LANE)) {
            vectors.pushFloats(Constant.ZERO);
            blend(zero);
        }
        vectors.setFloats(step.to());
    }

    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        vectors.pushFloats(step.a());
        if (step.negated()) {
            vectors.call(FLOATS, "neg", FLOATS);
        }
        vectors.pushFloats(step.b());
        vectors.pushFloats(step.c());
        vectors.call(FLOATS, "fma", FLOATS, VECTOR, VECTOR);
        vectors.setFloats(step.to());
        summed();
    }

    private static String operator(Comparison op) {
        return switch (op) {
            case EQUAL, INT_EQUAL -> "EQ";
            case LESS -> "LT";
            case LESS_OR_EQUAL -> "LE";
            case NOT_EQUAL -> "NE";
            case GREATER_OR_EQUAL -> "GE";
            case GREATER, INT_GREATER -> "GT";
            case UNORDERED -> throw new IllegalArgumentException(op.name());
        };
    }

    @Override
    public void compare(Step.Compare step) {
        if (step.op().isOfInts()) {
            vectors.pushInts(step.a());
            vectors.pushOperator(operator(step.op()), "Comparison");
            vectors.pushInts(step.b());
            vectors.call(INTS, "compare", MASK, COMPARISON, VECTOR);
            vectors.pushSpecies(FLOATS);
            vectors.call(MASK, "cast", MASK, SPECIES);
        } else {
            vectors.pushFloats(step.a());
            vectors.pushOperator(operator(step.op()), "Comparison");
            vectors.pushFloats(step.b());
            vectors.call(FLOATS, "compare", MASK, COMPARISON, VECTOR);
        }
        vectors.set(step.to());
    }

    @Override
    public void select(Step.Select step) {
        vectors.pushFloats(step.otherwise());
        vectors.pushFloats(step.then());
        vectors.push(step.mask());
        blend();
        vectors.setFloats(step.to());
    }

    /** The numbers of the lanes are floats, so that the mask is one of floats. */
    @Override
    public void prefixMask(Step.FirstLanes step) {
        vectors.pushSpecies(FLOATS);
        vectors.push(step.count());
        code.l2f();
        vectors.callStatic(FLOATS, "broadcast", FLOATS, SPECIES, ConstantDescs.CD_float);
        vectors.pushOperator("GT", "Comparison");
        vectors.pushData(FloatVector.zero(species).addIndex(1), FLOATS);
        vectors.call(FLOATS, "compare", MASK, COMPARISON, VECTOR);
        vectors.set(step.to());
    }

    @Override
    public void movemask(Step.LaneBits step) {
        vectors.push(step.from());
        vectors.call(MASK, "toLong", ConstantDescs.CD_long);
        vectors.set(step.to());
    }

    @Override
    public void spreadScalar(Step.SpreadScalar step) {
        vectors.pushSpecies(INTS);
        vectors.push(step.from());
        code.l2i();
        vectors.broadcastInt();
        vectors.setInts(step.to());
    }

    /** {@link Expansion} leaves none. */
    @Override
    public void reduce(Step.Reduce step) {
        throw new IllegalArgumentException(step.toString());
    }

    /** The targets of this lowering have none. */
    @Override
    public void dot(Step.Dot step) {
        throw new IllegalArgumentException(step.op() + " is not an operation of the Vector API");
    }
}
