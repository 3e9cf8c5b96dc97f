package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A reduction reads what a Transpose reads, over the axes where they were; what is left of it is transposed. */
final class ReduceTransposed {
    private ReduceTransposed() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Node transpose = GraphPatterns.inner(node.input(0), node.graph(), OpName.TRANSPOSE);
        int[] perm = transpose == null ? null : Axes.permutation(transpose);
        int[] axes = perm == null ? null : Axes.reduced(node, perm.length);
        if (transpose == null || perm == null || axes == null) {
            return null;
        }
        boolean keeps = node.attributes().isOne("keepdims", true);
        int[] left = keeps ? perm : remaining(perm, axes);
        Patch.Builder patch = context.patch(node, "the reduction comes before the Transpose");
        NodeSpec reduction = over(moved(axes, perm), node, transpose.requireInput(0), patch);
        Value output = node.requireOutput(0);
        if (Axes.isIdentity(left)) {
            return patch.replace(output, reduction).build();
        }
        Value reduced = patch.add(reduction, output.name() + "_before");
        NodeSpec rest = NodeSpec.of(OpId.onnx(OpName.TRANSPOSE), transpose.opset(), reduced)
                .named(transpose.name())
                .with("perm", Attribute.of(Axes.widened(left)));
        return patch.replace(output, rest).build();
    }

    private static int[] moved(int[] axes, int[] perm) {
        return Arrays.stream(axes).map(axis -> perm[axis]).sorted().toArray();
    }

    private static NodeSpec over(int[] axes, Node node, Value input, Patch.Builder patch) {
        long[] wide = Axes.widened(axes);
        if (node.input(1) == null && !node.attributes().has("axes")) {
            return NodeSpec.like(node, List.of(input));
        }
        if (node.input(1) == null) {
            Attributes attributes = node.attributes().with("axes", Attribute.of(wide));
            return NodeSpec.like(node, List.of(input)).with(attributes);
        }
        Value constant = patch.constant("axes", Tensor.copyOf(wide, wide.length));
        return NodeSpec.like(node, List.of(input, constant));
    }

    /** The permutation of the axes that stay, numbered among themselves. */
    private static int[] remaining(int[] perm, int[] gone) {
        int[] stay = Arrays.stream(Axes.range(0, perm.length))
                .filter(axis -> Arrays.binarySearch(gone, axis) < 0)
                .map(axis -> perm[axis])
                .toArray();
        int[] sorted = stay.clone();
        Arrays.sort(sorted);
        return Arrays.stream(stay)
                .map(axis -> Arrays.binarySearch(sorted, axis))
                .toArray();
    }
}
