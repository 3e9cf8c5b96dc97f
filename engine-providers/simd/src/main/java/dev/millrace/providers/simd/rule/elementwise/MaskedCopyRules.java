package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Formulas;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Indices;
import dev.millrace.providers.simd.rule.common.OutputViews;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules of operators that keep or drop whole elements, as words of up to 32 bits whatever their type. */
public final class MaskedCopyRules {
    /** The longest row that is masked; longer ones are copied and cleared faster. */
    private static final long LONGEST_MASKED_ROW = 256;

    private static final long LARGEST_MASK = 1 << 16;

    private MaskedCopyRules() {}

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.TRILU) ? MaskedCopyRules::triangle : null;
    }

    /** The type of the words that an element consists of, or null where kernels do not support its size. */
    private static @Nullable ElementType word(ElementType type) {
        return switch (Indices.elementBytes(type)) {
            case 1 -> ElementType.INT8;
            case 2 -> ElementType.INT16;
            case 4, 8 -> ElementType.INT32;
            default -> null;
        };
    }

    /** The number of words in an element. */
    private static long words(ElementType type, ElementType word) {
        return type.bits() / word.bits();
    }

    /** Returns the words of dense elements, as one more axis. */
    private static ValueState words(LoweringContext op, View elements, ElementType word) {
        long words = words(elements.type(), word);
        Shape shape = withAxis(elements.shape(), words);
        View view = View.dense(elements.storage(), word, shape, elements.offset() * words);
        return OutputViews.of(op.lowering(), op.out(), view);
    }

    private static Shape withAxis(Shape shape, long extent) {
        long[] dims = Arrays.copyOf(shape.toArray(), shape.rank() + 1);
        dims[shape.rank()] = extent;
        return Shape.of(dims);
    }

    /** Provides the output of a node, whose words are computed. */
    private static void provide(LoweringContext op, ValueState result) {
        View view = op.lowering().dense(result);
        ValueState out = op.out();
        long words = words(out.type(), view.type());
        op.lowering().provide(out, View.dense(view.storage(), out.type(), out.shape(), view.offset() / words));
    }

    private static boolean triangle(LoweringContext op) {
        ValueState in = op.in(0);
        ElementType word = word(in.type());
        Shape shape = in.shape();
        long rows = shape.dimAt(-2);
        long columns = shape.dimAt(-1);
        if (word == null || columns > LONGEST_MASKED_ROW || rows * columns > LARGEST_MASK) {
            return false;
        }
        long shift = op.has(1) ? op.content(1).longs()[0] : 0;
        boolean upper = op.attributes().flag("upper", true);
        long words = words(in.type(), word);
        byte[] kept = kept(rows, columns, in.type().bits() / Byte.SIZE, shift, upper);
        Tensor bytes = Tensor.copyOf(kept, kept.length);
        Tensor mask = Tensor.wrap(word, Shape.of(rows, columns, words), bytes.segment());
        PartitionCompiler lowering = op.lowering();
        ValueState result = lowering.part(op.out(), word, withAxis(shape, words));
        lowering.defer(
                result,
                List.of(words(op, lowering.dense(in), word), lowering.constant(mask)),
                v -> v.get(0).combine(Operator.AND, v.get(1)));
        provide(op, result);
        return true;
    }

    /** Returns a mask with all bits set for the elements of a triangle. */
    private static byte[] kept(long rows, long columns, int bytes, long shift, boolean upper) {
        byte[] kept = new byte[Math.toIntExact(rows * columns * bytes)];
        for (int i = 0; i < rows * columns; i++) {
            long diagonal = i % columns - i / columns;
            if (upper ? diagonal >= shift : diagonal <= shift) {
                Arrays.fill(kept, i * bytes, (i + 1) * bytes, (byte) -1);
            }
        }
        return kept;
    }

    /** Lowers Where for elements of 64 bits. Conditions become words of ones or zeros. */
    static boolean where(LoweringContext op) {
        if (op.out().type().bits() != Long.SIZE || word(op.out().type()) == null) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        ValueState condition = op.in(0);
        ValueState ones = lowering.part(op.out(), ElementType.INT32, condition.shape());
        lowering.defer(
                ones, List.of(condition), v -> Formulas.negate(v.getFirst().to(Kind.INT)));
        ValueState wide = lowering.part(op.out(), ElementType.INT64, condition.shape());
        if (!CastRules.cast(op, ones, wide)) {
            return false;
        }
        ValueState result =
                lowering.part(op.out(), ElementType.INT32, withAxis(op.out().shape(), 2));
        lowering.defer(
                result,
                List.of(rows(op, wide), rows(op, op.in(1)), rows(op, op.in(2))),
                v -> v.get(0).combine(Operator.NOT_EQUAL, Expr.integer(0)).choose(v.get(1), v.get(2)));
        provide(op, result);
        return true;
    }

    /** Returns the words of an operand. Its last axis is repeated to that of the result, so that words lie in rows. */
    private static ValueState rows(LoweringContext op, ValueState operand) {
        Shape shape = op.out().shape();
        View view = op.lowering().dense(operand);
        boolean repeats = shape.rank() > 0
                && shape.dimAt(-1) > 1
                && (view.shape().rank() == 0 || view.shape().dimAt(-1) == 1);
        if (repeats) {
            View all = op.lowering().allocate(view.type(), shape);
            op.lowering().copy(view.broadcast(shape), all, operand.name());
            view = all;
        }
        return words(op, view, ElementType.INT32);
    }
}
