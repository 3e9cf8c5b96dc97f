package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import org.jspecify.annotations.Nullable;

/** {@code x / sqrt(mean(x²) + epsilon) * scale} over the last axes is an RMSNormalization. */
final class RmsNorm {
    private static final int SINCE = 23;

    private RmsNorm() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Normalisation.Normalised normalised = Normalisation.normalised(node);
        if (normalised == null || !Normalisation.fits(normalised.centred())) {
            return null;
        }
        Value x = normalised.centred();
        Normalisation.Affine affine = Normalisation.affine(node.requireOutput(0), normalised.axes(), false);
        if (affine == null) {
            return null;
        }
        NodeSpec spec = NodeSpec.of(
                        OpId.onnx(OpName.RMS_NORMALIZATION), GraphPatterns.opset(node, SINCE), x, affine.scale())
                .named(affine.last().name())
                .with("axis", Attribute.of((long) -normalised.axes()))
                .with("epsilon", Attribute.of(normalised.epsilon()));
        return context.patch(affine.last(), "the parts of an RMSNormalization")
                .replace(affine.last().requireOutput(0), spec)
                .build();
    }
}
