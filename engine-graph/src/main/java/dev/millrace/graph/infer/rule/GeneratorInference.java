package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Operators that make a tensor from attributes or from a few numbers. */
final class GeneratorInference {
    private GeneratorInference() {}

    static void constant(InferenceContext c) {
        ValueType type = null;
        for (Map.Entry<String, Attribute> entry : c.attributes().asMap().entrySet()) {
            if (!entry.getKey().startsWith("value") && !entry.getKey().startsWith("sparse_value")) {
                continue;
            }
            if (type != null) {
                throw c.refuse("a constant has one value; this has several: "
                        + c.attributes().names());
            }
            type = typeOf(entry.getValue());
            if (type == null) {
                throw c.refuse("attribute '" + entry.getKey() + "' cannot be a constant");
            }
        }
        if (type == null) {
            throw c.refuse(
                    "one of the attributes value, sparse_value, value_int, value_ints, value_float, value_floats,"
                            + " value_string, value_strings is needed");
        }
        c.set(0, type);
    }

    private static @Nullable ValueType typeOf(Attribute constant) {
        if (constant instanceof Attribute.TensorValue(Tensor tensor)) {
            return ValueType.tensor(tensor.type(), tensor.shape());
        }
        if (constant instanceof Attribute.Ints ints) {
            return vector(ElementType.INT64, ints.values());
        }
        if (constant instanceof Attribute.Floats floats) {
            return vector(ElementType.FLOAT, floats.values());
        }
        if (constant instanceof Attribute.Strings strings) {
            return vector(ElementType.STRING, strings.values());
        }
        if (constant instanceof Attribute.Sparse sparse) {
            long[] dims = sparse.dims().stream().mapToLong(Long::longValue).toArray();
            return TypeLattice.tensor(sparse.values().type(), Dims.of(dims));
        }
        if (constant instanceof Attribute.Int) {
            return TypeLattice.scalar(ElementType.INT64);
        }
        if (constant instanceof Attribute.Float) {
            return TypeLattice.scalar(ElementType.FLOAT);
        }
        return constant instanceof Attribute.Bytes ? TypeLattice.scalar(ElementType.STRING) : null;
    }

    private static ValueType vector(ElementType element, List<?> values) {
        return TypeLattice.tensor(element, Dims.of(values.size()));
    }

    static void constantOfShape(InferenceContext c) {
        ElementType element =
                c.attributes().has("value") ? c.attributes().tensor("value").type() : ElementType.FLOAT;
        c.set(0, element, c.integers(0));
    }

    static void range(InferenceContext c) {
        OperandChecks.one(c, 0, 1, 2);
        ElementType element = c.element(0);
        c.set(0, element, List.of(steps(c)));
    }

    private static Dim steps(InferenceContext c) {
        Double start = number(c, 0);
        Double limit = number(c, 1);
        Double delta = number(c, 2);
        if (delta != null && delta == 0) {
            throw c.refuse("a range with step 0 has no end");
        }
        if (start != null && limit != null && delta != null) {
            double steps = Math.max(0, Math.ceil((limit - start) / delta));
            if (!(steps < 1L << 53)) {
                throw c.refuse("the range from " + start + " to " + limit + " by " + delta + " is no tensor");
            }
            return Dim.of((long) steps);
        }
        Dim by = c.integer(2);
        if (by instanceof Dim.Known step && step.extent() > 0) {
            Dim distance = Dims.sub(c.integer(1), c.integer(0));
            return Dims.ceilDiv(Dims.max(distance, Dims.ZERO), step.extent());
        }
        return Dim.UNKNOWN;
    }

    private static @Nullable Double number(InferenceContext c, int input) {
        Tensor value = c.value(input);
        if (value == null || value.elements() != 1) {
            return c.integer(input) instanceof Dim.Known known ? (double) known.extent() : null;
        }
        return value.type().isFloating() ? value.doubles()[0] : (double) value.longs()[0];
    }

    static void random(InferenceContext c) {
        long[] shape = c.attributes().integers("shape");
        if (shape == null) {
            throw c.refuse("attribute 'shape' is missing");
        }
        c.set(0, c.elementAttribute("dtype", ElementType.FLOAT), Dims.of(shape));
    }

    static void multinomial(InferenceContext c) {
        c.dims(0, 2);
        if (c.dim(0, 1).is(0)) {
            throw c.refuse("there is no class to draw in input 0 of shape " + c.dims(0));
        }
        c.set(
                0,
                c.elementAttribute("dtype", ElementType.INT32),
                List.of(c.dim(0, 0), Dim.of(c.attributes().integer("sample_size", 1))));
    }
}
