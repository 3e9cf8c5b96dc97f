package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Complex numbers as pairs, numbers that are none, windows over an axis. */
final class ElementLowerings {
    private ElementLowerings() {}

    static @Nullable Lowering lowering(String name) {
        return switch (name) {
            case "ComplexMul" -> c -> multiply(c, false);
            case "ComplexMulConj" -> c -> multiply(c, true);
            case "IsAllFinite" -> ElementLowerings::allFinite;
            case "UnfoldTensor" -> ElementLowerings::windows;
            case OpName.GRID_SAMPLE ->
                c -> c.result(c.add(
                        c.onnx(OpName.GRID_SAMPLE, 16, c.input(0), c.input(1)).with(c.attributes())));
            default -> null;
        };
    }

    /** Pairs of a real and an imaginary part along the last axis; the right ones may be mirrored at the real axis. */
    private static void multiply(Composer c, boolean mirrored) {
        List<Value> a = c.split(c.input(0), 2);
        List<Value> b = c.split(c.input(1), 2);
        Value reals = c.op(OpName.MUL, a.getFirst(), b.getFirst());
        Value imaginaries = c.op(OpName.MUL, a.getLast(), b.getLast());
        Value outer = c.op(OpName.MUL, a.getFirst(), b.getLast());
        Value inner = c.op(OpName.MUL, a.getLast(), b.getFirst());
        Value real = c.op(mirrored ? OpName.ADD : OpName.SUB, reals, imaginaries);
        Value imaginary = c.op(mirrored ? OpName.SUB : OpName.ADD, inner, outer);
        c.result(c.concat(-1, real, imaginary));
    }

    private static void allFinite(Composer c) {
        boolean infinite = !c.attributes().flag("isnan_only", false);
        boolean none = !c.attributes().flag("isinf_only", false);
        c.refuse(!infinite && !none, "isinf_only and isnan_only at once");
        Value count = c.scalar(0);
        for (int i = 0; i < c.node().inputs().size(); i++) {
            count = infinite ? c.op(OpName.ADD, count, counted(c, "IsInf", i)) : count;
            count = none ? c.op(OpName.ADD, count, counted(c, "IsNaN", i)) : count;
        }
        c.result(c.op(OpName.EQUAL, count, c.scalar(0)));
    }

    private static Value counted(Composer c, String test, int input) {
        Value found = c.cast(c.op(test, c.input(input)), ElementType.INT64);
        return c.add(c.onnx(OpName.REDUCE_SUM, found).with("keepdims", Attribute.of(0)));
    }

    /** Parts of an axis, one beginning some steps behind the other; what is in a part lies along a new last axis. */
    private static void windows(Composer c) {
        int rank = c.rank(0);
        int axis = Math.floorMod(c.attributes().integer("dim", -1), rank);
        long size = c.attributes().integer("size");
        long step = c.attributes().integer("step", 1);
        c.refuse(size < 1 || step < 1, "windows of " + size + " every " + step);
        Value length = c.op(OpName.RESHAPE, c.extents(c.input(0), axis, axis + 1), c.longs());
        Value end = c.op(OpName.SUB, length, c.scalar(size - 1));
        Value begins = c.op(OpName.UNSQUEEZE, c.op(OpName.RANGE, c.scalar(0), end, c.scalar(step)), c.longs(1));
        Value within = c.op(OpName.RANGE, c.scalar(0), c.scalar(size), c.scalar(1));
        NodeSpec gather = c.onnx(OpName.GATHER, c.input(0), c.op(OpName.ADD, begins, within))
                .with("axis", Attribute.of(axis));
        long[] order = new long[rank + 1];
        for (int i = 0; i < rank; i++) {
            order[i] = i <= axis ? i : i + 1;
        }
        order[rank] = axis + 1;
        c.result(c.transpose(c.add(gather), order));
    }
}
