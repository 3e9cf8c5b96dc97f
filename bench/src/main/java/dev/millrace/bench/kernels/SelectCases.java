package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.axis.ArgBest;
import dev.millrace.kernels.axis.AxisShape;
import dev.millrace.kernels.axis.Best;
import dev.millrace.kernels.axis.PrefixSum;
import dev.millrace.kernels.axis.SumRule;
import dev.millrace.kernels.axis.TopK;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/** The best elements and running sums along an axis. */
final class SelectCases {
    private static final int OPSET = 21;

    private SelectCases() {}

    static List<KernelCase> all() {
        return List.of(
                best(128, 1000, 1),
                best(1, 32000, 1),
                best(4, 80, 8400),
                top(1, 32000, 50),
                top(128, 1000, 5),
                top(1, 8400, 300),
                sums(128, 1024, 1),
                sums(16, 128, 512));
    }

    private static String text(long outer, long count, long inner) {
        return outer + "x" + count + (inner == 1 ? "" : "x" + inner);
    }

    private static KernelCase best(long outer, long count, long inner) {
        LayerWork work = LayerWork.bytes(4.0 * outer * count * inner);
        return KernelCase.of("argmax", text(outer, count, inner), work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor x = operands.floats(outer, count, inner);
            Tensor y = operands.zeros(ElementType.INT64, outer, 1, inner);
            var shape = new AxisShape(outer, count, inner);
            var best = new ArgBest(kernels.set(), new Best(Best.Extreme.LARGEST, false));
            return new Sides(() -> best.run(shape, x.segment(), y.segment(), parallel), Map.of("y", y), () -> {
                var model = new ReferenceModel();
                Attributes axis = Attributes.of("axis", Attribute.of(1L));
                model.output("y", model.node("ArgMax", axis, model.input("x", x)));
                return model;
            });
        });
    }

    private static KernelCase top(long rows, long count, int k) {
        LayerWork work = LayerWork.bytes(4.0 * rows * count);
        return KernelCase.of("topk", k + " of " + text(rows, count, 1), work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor x = operands.floats(rows, count);
            Tensor values = operands.zeros(ElementType.FLOAT, rows, k);
            Tensor places = operands.zeros(ElementType.INT64, rows, k);
            Tensor size = operands.zeros(ElementType.INT64, 1);
            size.segment().set(ValueLayout.JAVA_LONG, 0, k);
            var shape = AxisShape.rows(rows, count);
            var top = new TopK(kernels.set(), Best.Extreme.LARGEST);
            MemorySegment scratch = arena.allocate(top.scratchBytes(shape, parallel.width()), 64);
            Runnable ours = () -> top.run(shape, k, x.segment(), values.segment(), places.segment(), scratch, parallel);
            return new Sides(ours, Map.of("values", values, "places", places), () -> {
                var model = new ReferenceModel();
                NodeSpec node = NodeSpec.of(OpId.onnx("TopK"), OPSET, model.input("x", x), model.constant("k", size));
                List<Value> outputs = model.nodes(node, "v", "p");
                model.output("values", outputs.get(0));
                model.output("places", outputs.get(1));
                return model;
            });
        });
    }

    private static KernelCase sums(long outer, long count, long inner) {
        LayerWork work = LayerWork.bytes(8.0 * outer * count * inner);
        return KernelCase.of("cumsum", text(outer, count, inner), work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor x = operands.floats(outer, count, inner);
            Tensor y = operands.zeros(ElementType.FLOAT, outer, count, inner);
            Tensor axis = operands.zeros(ElementType.INT64, 1);
            axis.segment().set(ValueLayout.JAVA_LONG, 0, 1);
            var shape = new AxisShape(outer, count, inner);
            var sums = new PrefixSum(kernels.set(), new SumRule(SumRule.Type.FLOAT, false, false));
            return new Sides(() -> sums.run(shape, x.segment(), y.segment(), parallel), Map.of("y", y), () -> {
                var model = new ReferenceModel();
                model.output("y", model.node("CumSum", model.input("x", x), model.constant("axis", axis)));
                return model;
            });
        });
    }
}
