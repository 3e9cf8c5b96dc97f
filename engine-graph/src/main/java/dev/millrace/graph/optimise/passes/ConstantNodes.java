package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A Constant node becomes a constant of its graph. Sparse ones are left to constant folding. */
final class ConstantNodes {
    private ConstantNodes() {}

    static @Nullable Patch at(Node node, PassContext context) {
        Value output = node.output(0);
        if (output == null) {
            return null;
        }
        for (Map.Entry<String, Attribute> entry : node.attributes().asMap().entrySet()) {
            String name = entry.getKey();
            Tensor tensor = name.startsWith("value") ? tensorOf(entry.getValue()) : null;
            if (tensor != null) {
                ValueNotes notes = output.notes()
                        .withTensor(node.attributes().notes(name).tensor(0).remarks());
                Patch.Builder patch = context.patch(node, "a Constant node is a constant");
                return patch.redirect(output, patch.constant(output.name(), tensor, notes))
                        .build();
            }
        }
        return null;
    }

    private static @Nullable Tensor tensorOf(Attribute attribute) {
        return switch (attribute) {
            case Attribute.TensorValue tensor -> tensor.value();
            case Attribute.Int one -> Tensor.scalar(one.value());
            case Attribute.Float one -> Tensor.scalar(one.value());
            case Attribute.Bytes one -> Tensor.ofStrings(Shape.SCALAR, one.text());
            case Attribute.Ints many ->
                Tensor.copyOf(
                        many.values().stream().mapToLong(Long::longValue).toArray(),
                        many.values().size());
            case Attribute.Floats many -> {
                float[] values = new float[many.values().size()];
                for (int i = 0; i < values.length; i++) {
                    values[i] = many.values().get(i);
                }
                yield Tensor.copyOf(values, values.length);
            }
            case Attribute.Strings many ->
                Tensor.ofStrings(
                        Shape.of(many.values().size()),
                        many.values().stream().map(Attribute.Bytes::text).toArray(String[]::new));
            default -> null;
        };
    }
}
