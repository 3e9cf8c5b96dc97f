package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.WideOp;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;

/** Operations on pairs of lanes for generated code. The operation is a constant at each call. */
final class WideLanes {
    private static final long LOWER = 0xffffffffL;

    private WideLanes() {}

    static FloatVector of(WideOp op, FloatVector a, FloatVector b) {
        return switch (op) {
            case INT_ADD, INT_SUB, INT_PRODUCT, INT_EQUAL, INT_GREATER ->
                longs(op, a.reinterpretAsLongs(), b.reinterpretAsLongs()).reinterpretAsFloats();
            default ->
                doubles(op, a.reinterpretAsDoubles(), b.reinterpretAsDoubles()).reinterpretAsFloats();
        };
    }

    private static LongVector longs(WideOp op, LongVector a, LongVector b) {
        return switch (op) {
            case INT_ADD -> a.add(b);
            case INT_SUB -> a.sub(b);
            case INT_PRODUCT -> a.and(LOWER).mul(b.and(LOWER));
            case INT_EQUAL -> all(a, a.eq(b));
            case INT_GREATER -> all(a, a.compare(VectorOperators.GT, b));
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    private static DoubleVector doubles(WideOp op, DoubleVector a, DoubleVector b) {
        return switch (op) {
            case ADD -> a.add(b);
            case SUB -> a.sub(b);
            case MUL -> a.mul(b);
            case DIV -> a.div(b);
            case MIN -> b.blend(a, a.lt(b));
            case MAX -> b.blend(a, a.compare(VectorOperators.GT, b));
            case EQUAL -> all(a, a.eq(b));
            case LESS -> all(a, a.lt(b));
            case LESS_OR_EQUAL -> all(a, a.compare(VectorOperators.LE, b));
            default -> throw new IllegalArgumentException(op.name());
        };
    }

    private static LongVector all(LongVector like, VectorMask<Long> where) {
        return LongVector.zero(like.species()).blend(-1, where);
    }

    private static DoubleVector all(DoubleVector like, VectorMask<Double> where) {
        return all(
                        like.reinterpretAsLongs(),
                        where.cast(like.reinterpretAsLongs().species()))
                .reinterpretAsDoubles();
    }
}
