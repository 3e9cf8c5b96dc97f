package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.AttributeSpec;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import java.util.Set;

/** The activations that fused operators name in an attribute, with parameters in others. */
final class ActivationAttributes {
    private static final Set<AttributeSpec.Kind> NUMBERS = Set.of(AttributeSpec.Kind.FLOAT, AttributeSpec.Kind.INT);

    private ActivationAttributes() {}

    /** Parameters are attributes {@code activation_alpha} and so on; those that are left out have ONNX's defaults. */
    static Value named(Composer c, Value value) {
        Attributes attributes = c.attributes();
        String name = attributes.text("activation", "");
        if (name.isEmpty()) {
            return value;
        }
        NodeSpec spec = c.onnx(name, value);
        for (String parameter : parameters(c, name)) {
            Attribute attribute = attributes.find("activation_" + parameter);
            spec = attribute == null ? spec : spec.with(parameter, attribute);
        }
        return DefinitionLowering.add(c, spec, c.input(0).elementType());
    }

    /** Parameters are the list {@code activation_params}, in the order of ONNX's attributes. */
    static Value listed(Composer c, Value value, ElementType type) {
        Attributes attributes = c.attributes();
        String name = attributes.text("activation", "");
        float[] numbers = attributes.reals("activation_params");
        float[] values = numbers == null ? new float[0] : numbers;
        if (name.isEmpty()) {
            return value;
        }
        if (name.equals(OpName.CLIP)) {
            c.refuse(values.length != 2, "a clip with " + values.length + " bounds");
            return c.op(OpName.CLIP, value, c.scalar(type, values[0]), c.scalar(type, values[1]));
        }
        NodeSpec spec = c.onnx(name, value);
        List<String> parameters = parameters(c, name);
        for (int i = 0; i < Math.min(values.length, parameters.size()); i++) {
            spec = spec.with(parameters.get(i), Attribute.of(values[i]));
        }
        return DefinitionLowering.add(c, spec, type);
    }

    /** The numbers among an activation's attributes, in the order of its schema. */
    private static List<String> parameters(Composer c, String name) {
        OpId op = OpId.onnx(name);
        OperatorSchema schema = Schemas.has(op, Trait.ACTIVATION) ? Schemas.find(op, Composer.OPSET) : null;
        if (schema == null) {
            throw c.refuse("activation '" + name + "'");
        }
        return schema.attributes().stream()
                .filter(attribute -> NUMBERS.contains(attribute.kind()))
                .map(AttributeSpec::name)
                .toList();
    }
}
