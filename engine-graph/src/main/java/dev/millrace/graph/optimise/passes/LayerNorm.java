package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import org.jspecify.annotations.Nullable;

/** Fuses {@code (x - mean) / sqrt(variance + epsilon) * scale + bias} over the last axes into LayerNormalization. */
final class LayerNorm {
    private static final int SINCE = 17;

    private LayerNorm() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Normalisation.Normalised normalised = Normalisation.normalised(node);
        if (normalised == null) {
            return null;
        }
        Value x = centredInput(normalised, node.graph());
        Normalisation.Affine affine = Normalisation.affine(node.requireOutput(0), normalised.axes(), true);
        if (x == null || affine == null || !Normalisation.fits(x)) {
            return null;
        }
        NodeSpec spec = (affine.bias() == null
                        ? NodeSpec.of(
                                OpId.onnx(OpName.LAYER_NORMALIZATION),
                                GraphPatterns.opset(node, SINCE),
                                x,
                                affine.scale())
                        : NodeSpec.of(
                                OpId.onnx(OpName.LAYER_NORMALIZATION),
                                GraphPatterns.opset(node, SINCE),
                                x,
                                affine.scale(),
                                affine.bias()))
                .named(affine.last().name())
                .with("axis", Attribute.of((long) -normalised.axes()))
                .with("epsilon", Attribute.of(normalised.epsilon()));
        return context.patch(affine.last(), "the parts of a LayerNormalization")
                .replace(affine.last().requireOutput(0), spec)
                .build();
    }

    /** Returns the value from which the mean was subtracted; null where the input is computed in another way. */
    private static @Nullable Value centredInput(Normalisation.Normalised normalised, Graph graph) {
        Value centred = normalised.centred();
        Node difference = GraphPatterns.producer(centred, graph, OpName.SUB);
        if (difference == null
                || difference.opset() < 7
                || !GraphPatterns.isInner(centred, graph, normalised.reads())) {
            return null;
        }
        Value x = difference.requireInput(0);
        Node mean = GraphPatterns.inner(difference.input(1), graph, OpName.REDUCE_MEAN);
        boolean fits = mean != null && mean.input(0) == x && Normalisation.lastAxes(mean) == normalised.axes();
        return fits ? x : null;
    }
}
