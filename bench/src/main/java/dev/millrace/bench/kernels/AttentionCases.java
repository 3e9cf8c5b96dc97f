package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.attention.Attention;
import dev.millrace.kernels.attention.AttentionCall;
import dev.millrace.kernels.attention.AttentionShape;
import dev.millrace.kernels.attention.FinishRows;
import dev.millrace.kernels.attention.HeadRows;
import dev.millrace.kernels.attention.ScoreRule;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Attention of 12 heads of 64 elements, from the layout of BERT's products; ONNX Runtime has a fused operator for it. */
final class AttentionCases {
    private static final int HEADS = 12;
    private static final int DEPTH = 64;

    private AttentionCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int length : new int[] {128, 512, 2048}) {
            cases.add(attention(length, length));
        }
        for (int keys : new int[] {128, 2048}) {
            cases.add(attention(1, keys));
        }
        return cases;
    }

    private static KernelCase attention(int queries, int keys) {
        String text = HEADS + "x" + queries + "x" + keys + "x" + DEPTH;
        LayerWork work = LayerWork.flops(4.0 * HEADS * queries * keys * DEPTH);
        return KernelCase.of("attention", text, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor q = operands.floatsBetween(-2, 2, 1, queries, HEADS * DEPTH);
            Tensor k = operands.floatsBetween(-2, 2, 1, keys, HEADS * DEPTH);
            Tensor v = operands.floats(1, keys, HEADS * DEPTH);
            Tensor y = operands.zeros(ElementType.FLOAT, 1, queries, HEADS * DEPTH);
            var shape = new AttentionShape(1, HEADS, HEADS, queries, keys, DEPTH, DEPTH);
            AttentionCall call =
                    AttentionCall.of(shape, rows(q, queries), rows(k, keys), rows(v, keys), rows(y, queries), 0.125f);
            var attention = new Attention(kernels.set(), ScoreRule.PLAIN, FinishRows.Empty.ZEROS);
            MemorySegment scratch = arena.allocate(attention.scratchBytes(shape, parallel.width()), 64);
            return new Sides(() -> attention.run(call, scratch, parallel), Map.of("y", y), () -> {
                var model = new ReferenceModel();
                NodeSpec node = NodeSpec.of(
                                new OpId(OpId.MICROSOFT, "MultiHeadAttention"),
                                1,
                                model.input("q", q),
                                model.input("k", k),
                                model.input("v", v))
                        .with(Attributes.of("num_heads", Attribute.of((long) HEADS)));
                model.output("y", model.node(node));
                return model;
            });
        });
    }

    private static HeadRows rows(Tensor tensor, int rows) {
        return HeadRows.byPlace(tensor.segment(), HEADS, rows, DEPTH);
    }
}
