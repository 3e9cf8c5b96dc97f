package dev.millrace.graph.infer.rule;

import static dev.millrace.graph.infer.rule.InferenceContext.with;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Putting tensors together along an axis and taking one apart. */
final class ConcatInference {
    private ConcatInference() {}

    static void concat(InferenceContext c) {
        if (c.inputs() == 0) {
            throw c.refuse("at least one input is needed");
        }
        long axis = c.opset() < 4
                ? c.attributes().integer("axis", 1)
                : c.attributes().integer("axis");
        var shapes = new ArrayList<@Nullable List<Dim>>();
        ElementType element = null;
        for (int i = 0; i < c.inputs(); i++) {
            ElementType other = c.element(i);
            if (element != null && other != null && element != other) {
                throw c.refuse("input " + i + " has element type " + other + " where the others have " + element);
            }
            element = element == null ? other : element;
            shapes.add(c.dims(i));
        }
        c.set(0, element, joined(c, shapes, axis));
    }

    /** The shape of tensors of {@code shapes} put together along {@code axis}. */
    static @Nullable List<Dim> joined(InferenceContext c, List<@Nullable List<Dim>> shapes, long axis) {
        List<Dim> result = null;
        boolean complete = true;
        for (List<Dim> dims : shapes) {
            if (dims == null) {
                complete = false;
            } else if (result == null) {
                c.axis(axis, dims.size());
                result = dims;
            } else {
                result = joined(c, result, dims, c.axis(axis, dims.size()));
            }
        }
        if (result == null || complete) {
            return result;
        }
        return with(result, c.axis(axis, result.size()), Dim.UNKNOWN);
    }

    private static List<Dim> joined(InferenceContext c, List<Dim> a, List<Dim> b, int axis) {
        if (a.size() != b.size()) {
            throw c.refuse("shapes " + a + " and " + b + " have different ranks and cannot be put together");
        }
        var dims = new ArrayList<Dim>(a.size());
        for (int i = 0; i < a.size(); i++) {
            if (i != axis && Dims.differ(a.get(i), b.get(i))) {
                throw c.refuse(
                        "shapes " + a + " and " + b + " differ beside axis " + axis + " and cannot be put together");
            }
            dims.add(i == axis ? Dims.add(a.get(i), b.get(i)) : Dims.meet(a.get(i), b.get(i), c));
        }
        return dims;
    }

    static void split(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        long outputs = c.attributes().integer("num_outputs", c.outputs());
        if (outputs < c.outputs()) {
            throw c.refuse("attribute 'num_outputs' is " + outputs + ", but the node has " + c.outputs() + " outputs");
        }
        if (dims == null) {
            for (int i = 0; i < c.outputs(); i++) {
                c.set(i, c.element(0), null);
            }
            return;
        }
        int axis = c.axis(c.attributes().integer("axis", 0), dims.size());
        List<Dim> sizes = namedSizes(c, dims.get(axis));
        for (int i = 0; i < c.outputs(); i++) {
            Dim size = sizes != null ? sizes.get(i) : equalPart(c, dims.get(axis), i, outputs);
            c.set(i, c.element(0), with(dims, axis, size));
        }
    }

    /** The sizes that the node names, or null where the parts are equal. */
    private static @Nullable List<Dim> namedSizes(InferenceContext c, Dim whole) {
        List<Dim> sizes;
        if (c.has(1)) {
            sizes = c.integers(1);
            sizes = sizes == null ? Dims.unknown(c.outputs()) : sizes;
        } else {
            long[] attribute = c.opset() < 13 ? c.attributes().integers("split") : null;
            if (attribute == null) {
                return null;
            }
            sizes = Dims.of(attribute);
        }
        if (sizes.size() != c.outputs()) {
            throw c.refuse("sizes " + sizes + " are given for " + c.outputs() + " outputs");
        }
        Dim sum = sizes.stream().reduce(Dims.ZERO, Dims::add);
        if (Dims.differ(sum, whole)) {
            throw c.refuse("sizes " + sizes + " do not add up to the extent " + whole);
        }
        return sizes;
    }

    private static Dim equalPart(InferenceContext c, Dim whole, int index, long count) {
        if (whole instanceof Dim.Known known) {
            long extent = known.extent();
            if (extent > 0 && count > extent) {
                throw c.refuse("extent " + extent + " cannot be split into " + count + " parts");
            }
            if (extent % count != 0 && !c.attributes().has("num_outputs")) {
                throw c.refuse("extent " + extent + " cannot be split into " + count + " equal parts");
            }
            long part = Math.ceilDiv(extent, count);
            return Dim.of(Math.clamp(extent - part * index, 0, part));
        }
        Dim exact = Dims.divideExactly(whole, Dim.of(count));
        if (exact != null) {
            return exact;
        }
        return c.attributes().has("num_outputs") && index == count - 1 ? Dim.UNKNOWN : Dims.ceilDiv(whole, count);
    }
}
