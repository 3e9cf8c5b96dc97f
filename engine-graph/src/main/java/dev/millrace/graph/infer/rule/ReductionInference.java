package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Shape rules of operators that reduce axes to one element, and of cumulative ones. */
final class ReductionInference {
    private ReductionInference() {}

    static void reduce(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        boolean asInput = c.opset() >= (c.op().equals(OpName.REDUCE_SUM) ? 13 : 18);
        boolean keep = c.attributes().isOne("keepdims", true);
        List<Dim> named = asInput ? c.has(1) ? c.integers(1) : List.of() : attribute(c);
        if (dims == null || named == null) {
            c.set(0, c.element(0), keep && dims != null ? Dims.unknown(dims.size()) : null);
            return;
        }
        if (named.isEmpty()) {
            boolean nothing = asInput && c.attributes().isOne("noop_with_empty_axes", false);
            c.set(0, c.element(0), nothing ? dims : keep ? Dims.of(ones(dims.size())) : List.of());
            return;
        }
        long[] axes = known(named);
        if (axes == null) {
            c.set(0, c.element(0), keep ? Dims.unknown(dims.size()) : over(named.size(), dims.size()));
            return;
        }
        c.set(0, c.element(0), reduced(dims, c.axes(axes, dims.size()), keep));
    }

    /**
     * Returns unknown extents for the axes that remain; null where several are reduced, of which two may be the same.
     */
    private static @Nullable List<Dim> over(int reduced, int rank) {
        return reduced > 1 ? null : Dims.unknown(Math.max(0, rank - reduced));
    }

    private static List<Dim> attribute(InferenceContext c) {
        long[] axes = c.attributes().integers("axes");
        return axes == null ? List.of() : Dims.of(axes);
    }

    private static long @Nullable [] known(List<Dim> dims) {
        return dims.stream().allMatch(Dim::isKnown)
                ? dims.stream().mapToLong(dim -> ((Dim.Known) dim).extent()).toArray()
                : null;
    }

    private static long[] ones(int rank) {
        long[] ones = new long[rank];
        Arrays.fill(ones, 1);
        return ones;
    }

    private static List<Dim> reduced(List<Dim> dims, int[] axes, boolean keep) {
        boolean[] folded = new boolean[dims.size()];
        for (int axis : axes) {
            folded[axis] = true;
        }
        var result = new ArrayList<Dim>(dims.size());
        for (int i = 0; i < folded.length; i++) {
            if (!folded[i]) {
                result.add(dims.get(i));
            } else if (keep) {
                result.add(Dims.ONE);
            }
        }
        return result;
    }

    /** Infers CumSum and CumProd. */
    static void cumulate(InferenceContext c) {
        OperandChecks.one(c, 1);
        List<Dim> dims = c.dims(0, 1, Integer.MAX_VALUE);
        if (dims != null && c.integer(1) instanceof Dim.Known axis) {
            c.axis(axis.extent(), dims.size());
        }
        c.set(0, c.tensor(0));
    }

    static void argReduce(InferenceContext c) {
        List<Dim> dims = c.dims(0);
        if (dims == null) {
            c.set(0, ElementType.INT64, null);
            return;
        }
        int axis = c.axis(c.attributes().integer("axis", 0), dims.size());
        c.set(
                0,
                ElementType.INT64,
                reduced(dims, new int[] {axis}, c.attributes().isOne("keepdims", true)));
    }
}
