package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Operators that compute each element from the elements at its place. */
final class ElementwiseInference {
    private ElementwiseInference() {}

    static void sameAsFirst(InferenceContext c) {
        c.set(0, c.tensor(0));
    }

    /** Clip: since opset 11 the bounds are inputs. */
    static void clip(InferenceContext c) {
        if (c.opset() >= 11) {
            OperandChecks.one(c, 1, 2);
        }
        sameAsFirst(c);
    }

    /** PRelu: since opset 7 the slope broadcasts to the input. */
    static void pRelu(InferenceContext c) {
        if (c.opset() >= 7) {
            OperandChecks.broadcastsTo(c, 1, c.dims(0));
        }
        sameAsFirst(c);
    }

    /** Two inputs of one shape and type. */
    static void sameShapes(InferenceContext c) {
        List<Dim> a = c.dims(0);
        List<Dim> b = c.dims(1);
        c.set(0, commonElement(c, 0, 1), a == null ? b : b == null ? a : meet(a, b, c));
    }

    private static List<Dim> meet(List<Dim> a, List<Dim> b, InferenceContext c) {
        if (a.size() != b.size()) {
            throw c.refuse("shapes " + a + " and " + b + " have to be equal");
        }
        var dims = new ArrayList<Dim>(a.size());
        for (int i = 0; i < a.size(); i++) {
            dims.add(Dims.meet(a.get(i), b.get(i), c));
        }
        return dims;
    }

    static void alongAxis(InferenceContext c, long otherwise) {
        List<Dim> dims = c.dims(0);
        long axis = c.attributes().integer("axis", otherwise);
        boolean absent = !c.attributes().has("axis");
        if (dims != null && !(absent && dims.size() < 2) && !(axis == dims.size() && c.opset() < 13)) {
            c.axis(axis, dims.size());
        }
        sameAsFirst(c);
    }

    static void binary(InferenceContext c) {
        c.set(0, c.op().equals("BitShift") ? c.element(0) : commonElement(c, 0, 1), broadcast(c));
    }

    static void pow(InferenceContext c) {
        c.set(0, c.element(0), broadcast(c));
    }

    static void comparison(InferenceContext c) {
        commonElement(c, 0, 1);
        c.set(0, ElementType.BOOL, broadcast(c));
    }

    /** Before opset 7 the second input is fitted to the first, at an axis that an attribute names. */
    private static @Nullable List<Dim> broadcast(InferenceContext c) {
        return c.opset() < 7 && c.node().op().domain().isEmpty() ? c.dims(0) : Dims.broadcast(c.dims(0), c.dims(1), c);
    }

    /** The element type of inputs that share it. */
    private static @Nullable ElementType commonElement(InferenceContext c, int first, int end) {
        ElementType common = c.element(first);
        for (int i = first + 1; i <= end; i++) {
            ElementType element = c.element(i);
            if (common != null && element != null && common != element) {
                throw c.refuse("inputs " + first + " and " + i + " have element types " + common + " and " + element
                        + " where they have to be equal");
            }
            common = common == null ? element : common;
        }
        return common;
    }

    static void variadic(InferenceContext c) {
        if (c.inputs() == 0) {
            throw c.refuse("at least one input is needed");
        }
        List<Dim> dims = c.dims(0);
        for (int i = 1; i < c.inputs(); i++) {
            dims = Dims.broadcast(dims, c.dims(i), c);
        }
        c.set(0, commonElement(c, 0, c.inputs() - 1), dims);
    }

    static void where(InferenceContext c) {
        List<Dim> branches = Dims.broadcast(c.dims(1), c.dims(2), c);
        c.set(0, commonElement(c, 1, 2), Dims.broadcast(c.dims(0), branches, c));
    }

    static void test(InferenceContext c) {
        c.set(0, ElementType.BOOL, c.dims(0));
    }

    static void cast(InferenceContext c) {
        ElementType to = c.attributes().find("to") instanceof Attribute.Bytes name
                ? ElementType.ofName(name.text().toLowerCase(Locale.ROOT))
                : ElementType.requireCode(c.attributes().integer("to"));
        c.set(0, to, c.dims(0));
    }

    static void bitCast(InferenceContext c) {
        ElementType to = ElementType.requireCode(c.attributes().integer("to"));
        ElementType from = c.element(0);
        if (from != null && from.bits() != to.bits()) {
            throw c.refuse("the bits of " + from + " cannot be read as " + to + ", which has another width");
        }
        c.set(0, to, c.dims(0));
    }

    static void dropout(InferenceContext c) {
        TensorType input = c.tensor(0);
        OperandChecks.one(c, 1, 2);
        c.set(0, input);
        c.set(1, c.opset() < 10 ? input.element() : ElementType.BOOL, c.dims(0));
    }

    static void eyeLike(InferenceContext c) {
        c.dims(0, 2);
        like(c);
    }

    /** The shape of the input with the element type of an attribute, or of the input. */
    static void like(InferenceContext c) {
        c.set(0, c.elementAttribute("dtype", c.element(0)), c.dims(0));
    }
}
