package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Follows the integers that shapes are computed with: from Shape through arithmetic to Reshape. Where the rule for types
 * has run, gives the content of one of a node's outputs, or null where it is not followed.
 */
public final class ContentInference {
    private ContentInference() {}

    public static @Nullable KnownContent of(InferenceContext c, int output) {
        if (!c.node().op().domain().isEmpty()) {
            return null;
        }
        try {
            return c.op().equals(OpName.SPLIT) ? split(c, output) : output == 0 ? followed(c) : null;
        } catch (ArithmeticException tooLarge) {
            return null;
        }
    }

    private static @Nullable KnownContent followed(InferenceContext c) {
        return switch (c.op()) {
            case OpName.CONSTANT -> constant(c);
            case OpName.SHAPE -> {
                List<Dim> dims = ShapeInference.shapeContent(c);
                yield dims == null ? null : KnownContent.vector(dims);
            }
            case OpName.SIZE -> {
                List<Dim> dims = c.dims(0);
                yield dims == null ? null : KnownContent.scalar(Dims.product(dims));
            }
            case OpName.IDENTITY -> c.content(0);
            case OpName.CAST, OpName.CAST_LIKE -> cast(c);
            case OpName.RESHAPE, OpName.SQUEEZE, OpName.UNSQUEEZE, OpName.FLATTEN -> reshaped(c);
            case OpName.GATHER -> gather(c);
            case OpName.CONCAT -> concat(c);
            case OpName.SLICE -> slice(c);
            case OpName.CONSTANT_OF_SHAPE -> constantOfShape(c);
            case OpName.RANGE -> range(c);
            case OpName.EXPAND -> binary(c, (a, b) -> a);
            case OpName.WHERE -> where(c);
            case "ReduceProd", OpName.REDUCE_SUM, OpName.REDUCE_MAX, "ReduceMin" -> reduced(c);
            case OpName.NEG -> unary(c, item -> Dims.sub(Dims.ZERO, item));
            case OpName.ABS -> unary(c, item -> Dims.isNeverNegative(item) ? item : Dim.UNKNOWN);
            case "Floor", "Ceil", "Round" -> unary(c, item -> item);
            case OpName.NOT -> unary(c, item -> item.isKnown() ? item.is(0) ? Dims.ONE : Dims.ZERO : Dim.UNKNOWN);
            default -> {
                if (Schemas.has(c.node().op(), Trait.AT_LEAST_ZERO)) {
                    yield unary(c, item -> Dims.max(item, Dims.ZERO));
                }
                BinaryOperator<Dim> operation = operation(c);
                yield operation == null || c.inputs() != 2 ? null : binary(c, operation);
            }
        };
    }

    private static @Nullable BinaryOperator<Dim> operation(InferenceContext c) {
        return switch (c.op()) {
            case OpName.ADD, "Sum" -> Dims::add;
            case OpName.SUB -> Dims::sub;
            case OpName.MUL -> Dims::mul;
            case OpName.DIV -> division(c);
            case OpName.MOD ->
                (a, b) -> Dims.isNeverNegative(a) && Dims.isNeverNegative(b) ? Dims.mod(a, b) : Dim.UNKNOWN;
            case OpName.MIN -> Dims::min;
            case OpName.MAX -> Dims::max;
            case OpName.EQUAL -> (a, b) -> Dims.same(a, b) ? Dims.ONE : differ(a, b) ? Dims.ZERO : Dim.UNKNOWN;
            case OpName.GREATER -> (a, b) -> ordered(Dims.sub(a, b), 1);
            case OpName.GREATER_OR_EQUAL -> (a, b) -> ordered(Dims.sub(a, b), 0);
            case OpName.LESS -> (a, b) -> ordered(Dims.sub(b, a), 1);
            case OpName.LESS_OR_EQUAL -> (a, b) -> ordered(Dims.sub(b, a), 0);
            case OpName.AND -> (a, b) -> a.is(0) || b.is(0) ? Dims.ZERO : a.is(1) ? b : b.is(1) ? a : Dim.UNKNOWN;
            case "Or" -> (a, b) -> a.is(1) || b.is(1) ? Dims.ONE : a.is(0) ? b : b.is(0) ? a : Dim.UNKNOWN;
            default -> null;
        };
    }

    private static boolean differ(Dim a, Dim b) {
        if (a == Dim.UNKNOWN || b == Dim.UNKNOWN) {
            return false;
        }
        return ordered(Dims.sub(a, b), 1).is(1) || ordered(Dims.sub(b, a), 1).is(1);
    }

    /** Whether {@code difference} is certainly at least {@code least}, or certainly less. */
    private static Dim ordered(Dim difference, long least) {
        if (difference == Dim.UNKNOWN) {
            return Dim.UNKNOWN;
        }
        if (Dims.isNeverNegative(Dims.add(difference, -least))) {
            return Dims.ONE;
        }
        Dim missing = Dims.sub(Dim.of(least - 1), difference);
        return missing != Dim.UNKNOWN && Dims.isNeverNegative(missing) ? Dims.ZERO : Dim.UNKNOWN;
    }

    private static BinaryOperator<Dim> division(InferenceContext c) {
        ElementType element = c.element(0);
        boolean whole = element != null && element.isInteger();
        return (a, b) -> {
            Dim exact = Dims.divideExactly(a, b);
            if (exact != null) {
                return exact;
            }
            boolean down = whole && Dims.isNeverNegative(a) && Dims.isNeverNegative(b);
            return down ? Dims.floorDiv(a, b) : Dim.UNKNOWN;
        };
    }

    private static @Nullable KnownContent constant(InferenceContext c) {
        var attributes = c.attributes();
        if (attributes.find("value") instanceof Attribute.TensorValue value) {
            return KnownContent.of(value.value());
        }
        if (attributes.find("value_int") instanceof Attribute.Int value) {
            return KnownContent.scalar(Dim.of(value.value()));
        }
        if (attributes.find("value_ints") instanceof Attribute.Ints values
                && values.values().size() <= KnownContent.LIMIT) {
            return KnownContent.vector(
                    Dims.of(values.values().stream().mapToLong(Long::longValue).toArray()));
        }
        return null;
    }

    private static @Nullable KnownContent cast(InferenceContext c) {
        KnownContent content = c.content(0);
        if (content == null || !(c.output(0) instanceof TensorType type) || type.element() == null) {
            return null;
        }
        return switch (type.element()) {
            case INT32, INT64, FLOAT, DOUBLE -> content;
            case BOOL -> mapped(content, item -> item.isKnown() ? item.is(0) ? Dims.ZERO : Dims.ONE : Dim.UNKNOWN);
            default -> null;
        };
    }

    private static KnownContent mapped(KnownContent content, UnaryOperator<Dim> operation) {
        return new KnownContent(content.items().stream().map(operation).toList(), content.scalar());
    }

    private static @Nullable KnownContent unary(InferenceContext c, UnaryOperator<Dim> operation) {
        KnownContent content = c.content(0);
        return content == null ? null : mapped(content, operation);
    }

    private static @Nullable KnownContent reshaped(InferenceContext c) {
        KnownContent content = c.content(0);
        if (content == null || !(c.output(0) instanceof TensorType type) || type.shape() == null) {
            return null;
        }
        return switch (type.shape().rank()) {
            case 0 ->
                content.items().size() == 1
                        ? KnownContent.scalar(content.items().getFirst())
                        : null;
            case 1 -> KnownContent.vector(content.items());
            default -> null;
        };
    }

    private static @Nullable KnownContent gather(InferenceContext c) {
        KnownContent data = c.content(0);
        KnownContent indices = c.content(1);
        if (data == null || indices == null) {
            return null;
        }
        int size = data.items().size();
        return mapped(indices, index -> {
            if (!(index instanceof Dim.Known known)) {
                return Dim.UNKNOWN;
            }
            long at = known.extent() < 0 ? known.extent() + size : known.extent();
            if (at < 0 || at >= size) {
                throw c.refuse("index " + known + " is outside a vector of " + size);
            }
            return data.items().get((int) at);
        });
    }

    private static @Nullable KnownContent concat(InferenceContext c) {
        var items = new ArrayList<Dim>();
        for (int i = 0; i < c.inputs(); i++) {
            List<Dim> dims = c.dims(i);
            List<Dim> part = dims != null && dims.size() == 1 ? c.integers(i) : null;
            if (part == null || items.size() + part.size() > KnownContent.LIMIT) {
                return null;
            }
            items.addAll(part);
        }
        return KnownContent.vector(items);
    }

    private static @Nullable KnownContent split(InferenceContext c, int output) {
        KnownContent data = c.content(0);
        if (data == null) {
            return null;
        }
        long from = 0;
        for (int i = 0; i <= output; i++) {
            Shape part = c.output(i) instanceof TensorType type ? type.concreteShape() : null;
            if (part == null
                    || part.rank() != 1
                    || from + part.dim(0) > data.items().size()) {
                return null;
            }
            if (i == output) {
                return KnownContent.vector(data.items().subList((int) from, (int) (from + part.dim(0))));
            }
            from += part.dim(0);
        }
        return null;
    }

    private static @Nullable KnownContent slice(InferenceContext c) {
        KnownContent data = c.content(0);
        boolean attributes = c.opset() < 10;
        long[] starts = attributes ? c.attributes().integers("starts") : c.longs(1);
        long[] ends = attributes ? c.attributes().integers("ends") : c.longs(2);
        long[] steps = attributes || !c.has(4) ? new long[] {1} : c.longs(4);
        if (data == null
                || data.scalar()
                || starts == null
                || ends == null
                || steps == null
                || starts.length != 1
                || ends.length != 1
                || steps.length != 1) {
            return null;
        }
        var items = new ArrayList<Dim>();
        SliceRule.indices(data.items().size(), starts[0], ends[0], steps[0])
                .forEach(index -> items.add(data.items().get((int) index)));
        return KnownContent.vector(items);
    }

    private static @Nullable KnownContent constantOfShape(InferenceContext c) {
        long[] shape = c.longs(0);
        if (shape == null || shape.length > 1 || shape.length == 1 && shape[0] > KnownContent.LIMIT) {
            return null;
        }
        Dim fill = Dims.ZERO;
        if (c.attributes().has("value")) {
            List<Dim> items = KnownContent.elements(c.attributes().tensor("value"));
            if (items == null || items.size() != 1) {
                return null;
            }
            fill = items.getFirst();
        }
        return shape.length == 0
                ? KnownContent.scalar(fill)
                : KnownContent.vector(Collections.nCopies((int) shape[0], fill));
    }

    private static @Nullable KnownContent range(InferenceContext c) {
        if (!(c.integer(0) instanceof Dim.Known start)
                || !(c.integer(2) instanceof Dim.Known delta)
                || !(c.output(0) instanceof TensorType type)
                || type.concreteShape() == null
                || type.concreteShape().elements() > KnownContent.LIMIT) {
            return null;
        }
        var items = new ArrayList<Dim>();
        for (long i = 0; i < type.concreteShape().elements(); i++) {
            items.add(Dim.of(Math.addExact(start.extent(), Math.multiplyExact(i, delta.extent()))));
        }
        return KnownContent.vector(items);
    }

    /** {@code operation} of two contents, broadcast; its result has the length that the output's type says. */
    private static @Nullable KnownContent binary(InferenceContext c, BinaryOperator<Dim> operation) {
        KnownContent a = c.content(0);
        KnownContent b = c.content(1);
        if (c.op().equals(OpName.EXPAND)) {
            b = a == null || !(c.output(0) instanceof TensorType type) || type.concreteShape() == null
                    ? null
                    : filling(type.concreteShape().toArray());
        }
        if (a == null || b == null) {
            return null;
        }
        int size = a.items().size() == 1 ? b.items().size() : a.items().size();
        if (!broadcast(a, size) || !broadcast(b, size)) {
            return null;
        }
        var items = new ArrayList<Dim>(size);
        for (int i = 0; i < size; i++) {
            items.add(operation.apply(at(a, i), at(b, i)));
        }
        return new KnownContent(items, a.scalar() && b.scalar());
    }

    private static boolean broadcast(KnownContent content, int size) {
        return content.items().size() == 1 || content.items().size() == size;
    }

    private static @Nullable KnownContent filling(long[] shape) {
        if (shape.length == 0) {
            return KnownContent.scalar(Dim.UNKNOWN);
        }
        return shape.length > 1 || shape[0] > KnownContent.LIMIT
                ? null
                : KnownContent.vector(Dims.unknown((int) shape[0]));
    }

    private static Dim at(KnownContent content, int index) {
        return content.items().size() == 1
                ? content.items().getFirst()
                : content.items().get(index);
    }

    private static @Nullable KnownContent where(InferenceContext c) {
        KnownContent condition = c.content(0);
        KnownContent one = c.content(1);
        KnownContent other = c.content(2);
        if (condition == null || one == null || other == null) {
            return null;
        }
        int size = Math.max(
                condition.items().size(),
                Math.max(one.items().size(), other.items().size()));
        if (!broadcast(condition, size) || !broadcast(one, size) || !broadcast(other, size)) {
            return null;
        }
        var items = new ArrayList<Dim>(size);
        for (int i = 0; i < size; i++) {
            Dim taken = at(condition, i);
            Dim x = at(one, i);
            Dim y = at(other, i);
            items.add(taken.is(1) ? x : taken.is(0) ? y : Dims.join(x, y));
        }
        return new KnownContent(items, condition.scalar() && one.scalar() && other.scalar());
    }

    private static @Nullable KnownContent reduced(InferenceContext c) {
        KnownContent content = c.content(0);
        if (content == null
                || content.items().isEmpty()
                || !(c.output(0) instanceof TensorType type)
                || type.concreteShape() == null
                || type.concreteShape().elements() != 1) {
            return null;
        }
        BinaryOperator<Dim> operation = switch (c.op()) {
            case "ReduceProd" -> Dims::mul;
            case OpName.REDUCE_SUM -> Dims::add;
            case OpName.REDUCE_MAX -> Dims::max;
            default -> Dims::min;
        };
        Dim result = content.items().stream().reduce(operation).orElse(Dim.UNKNOWN);
        return new KnownContent(List.of(result), type.concreteShape().rank() == 0);
    }
}
