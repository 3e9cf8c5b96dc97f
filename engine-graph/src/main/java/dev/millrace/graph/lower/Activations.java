package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;

/** The activations that fused operators name in an attribute, with parameters in others. */
final class Activations {
    private Activations() {}

    /** Parameters are attributes {@code activation_alpha} and so on; those that are left out have ONNX's defaults. */
    static Value named(Composer c, Value value) {
        Attributes attributes = c.attributes();
        String name = attributes.text("activation", "");
        if (name.isEmpty()) {
            return value;
        }
        NodeSpec spec = c.onnx(name, value);
        for (String parameter : parameters(c, name)) {
            Attribute given = attributes.find("activation_" + parameter);
            spec = given == null ? spec : spec.with(parameter, given);
        }
        return c.add(spec);
    }

    /** Parameters are the list {@code activation_params}, in the order of ONNX's attributes. */
    static Value listed(Composer c, Value value, ElementType type) {
        Attributes attributes = c.attributes();
        String name = attributes.text("activation", "");
        float[] given = attributes.reals("activation_params");
        float[] values = given == null ? new float[0] : given;
        if (name.isEmpty()) {
            return value;
        }
        if (name.equals("Clip")) {
            c.refuse(values.length != 2, "a clip with " + values.length + " bounds");
            return c.op("Clip", value, c.scalar(type, values[0]), c.scalar(type, values[1]));
        }
        NodeSpec spec = c.onnx(name, value);
        List<String> parameters = parameters(c, name);
        for (int i = 0; i < Math.min(values.length, parameters.size()); i++) {
            spec = spec.with(parameters.get(i), Attribute.of(values[i]));
        }
        return c.add(spec);
    }

    private static List<String> parameters(Composer c, String name) {
        return switch (name) {
            case "Relu", "Tanh", "Sigmoid", "Softplus", "Softsign", "HardSwish", "Gelu" -> List.of();
            case "LeakyRelu", "Elu", "Celu", "ThresholdedRelu" -> List.of("alpha");
            case "HardSigmoid" -> List.of("alpha", "beta");
            case "Selu" -> List.of("alpha", "gamma");
            case "Softmax" -> List.of("axis");
            default -> throw c.refuse("activation '" + name + "'");
        };
    }
}
