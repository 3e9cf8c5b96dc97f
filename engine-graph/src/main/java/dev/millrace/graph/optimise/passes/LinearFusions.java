package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** Fuses operators that follow a Linear, the engine's own product with a bias, into it. */
final class LinearFusions {
    private LinearFusions() {}

    /** Fuses an activation after a Linear, which becomes an attribute. */
    static @Nullable Patch activation(Node node, PassContext context) {
        Node linear = Linear.behind(node.input(0), node);
        if (linear == null) {
            return null;
        }
        boolean tanh = node.attributes().text("approximate", "none").equals("tanh");
        String activation = tanh ? "GeluTanh" : node.op().name();
        NodeSpec spec = NodeSpec.like(linear, linear.inputs()).with(Linear.ACTIVATION, Attribute.of(activation));
        return context.patch(node, "Linear with " + activation)
                .replace(node.requireOutput(0), spec)
                .build();
    }

    /** Folds a BatchNormalization after a Linear of rank 2 into the columns of its weights. */
    static @Nullable Patch batchNorm(Node norm, PassContext context) {
        Value value = norm.input(0);
        Node linear = Linear.behind(value, norm);
        Tensor weights = linear == null ? null : linear.requireInput(1).constant();
        if (linear == null || weights == null || GraphPatterns.rank(value) != 2) {
            return null;
        }
        ElementType type = weights.type();
        int columns = Math.toIntExact(weights.shape().dim(1));
        Value old = linear.input(2);
        Tensor oldBias = old == null ? null : old.constant();
        ChannelAffine affine = ChannelAffine.ofBatchNorm(norm, columns);
        boolean exact = type == ElementType.FLOAT || type == ElementType.DOUBLE;
        if (affine == null || !exact || old != null && oldBias == null) {
            return null;
        }
        double[] bias = oldBias == null ? new double[columns] : oldBias.doubles();
        for (int i = 0; i < columns; i++) {
            bias[i] = bias[i] * affine.scale()[i] + affine.shift()[i];
        }
        Patch.Builder patch = context.patch(norm, "Linear takes in BatchNormalization");
        String name = linear.requireInput(1).name();
        Value right = patch.constant(name, context.own(scaledColumns(weights, affine.scale())));
        Value vector = patch.constant(name + "_bias", Constants.of(type, bias, columns));
        NodeSpec spec = Linear.spec(linear.requireInput(0), right, vector).named(linear.name());
        return patch.replace(norm.requireOutput(0), spec).build();
    }

    private static Tensor scaledColumns(Tensor weights, double[] scale) {
        Tensor result = Tensor.allocate(weights.type(), weights.shape());
        double[] row = new double[scale.length];
        for (long i = 0; i < weights.shape().dim(0); i++) {
            Elements.read(weights.type(), weights.segment(), i * row.length, row, 0, row.length);
            for (int j = 0; j < row.length; j++) {
                row[j] *= scale[j];
            }
            Elements.write(weights.type(), result.segment(), i * row.length, row, 0, row.length);
        }
        return result;
    }
}
