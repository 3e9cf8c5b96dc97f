package dev.millrace.providers.cpu.recurrent;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Trait;
import dev.millrace.providers.cpu.elementwise.Unary;
import dev.millrace.providers.cpu.elementwise.UnaryOps;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The activation functions of a recurrent node, for one direction after the other. */
final class Activations {
    private static final List<String> NAMES =
            Schemas.with(Trait.RECURRENT_ACTIVATION).stream().map(OpId::name).toList();

    private Activations() {}

    /** Returns the functions of a node, as many per direction as there are defaults. */
    static List<Unary.Floats> of(Node node, int directions, List<String> defaults) {
        Attributes attributes = node.attributes();
        List<String> values = attributes.texts("activations");
        float[] alphas = attributes.reals("activation_alpha");
        float[] betas = attributes.reals("activation_beta");
        var functions = new ArrayList<Unary.Floats>();
        int alpha = 0;
        int beta = 0;
        for (int i = 0; i < directions * defaults.size(); i++) {
            String name = canonical(node, values == null ? defaults.get(i % defaults.size()) : at(node, values, i));
            Attributes parameters = Attributes.NONE;
            if (takes(name, "alpha") && alphas != null && alpha < alphas.length) {
                parameters = parameters.with("alpha", Attribute.of(alphas[alpha++]));
            }
            if (takes(name, "beta") && betas != null && beta < betas.length) {
                parameters = parameters.with("beta", Attribute.of(betas[beta++]));
            }
            Unary function = UnaryOps.find(name, parameters);
            if (function == null) {
                throw EngineException.notImplemented(node.describe() + ": activation '" + name + "'");
            }
            functions.add(function.requireFloats());
        }
        return functions;
    }

    private static String at(Node node, List<String> values, int index) {
        if (index >= values.size()) {
            throw EngineException.invalidGraph(
                    node.describe() + ": attribute 'activations' names " + values.size() + " functions, too few");
        }
        return values.get(index);
    }

    private static String canonical(Node node, String name) {
        for (String known : NAMES) {
            if (known.toLowerCase(Locale.ROOT).equals(name.toLowerCase(Locale.ROOT))) {
                return known;
            }
        }
        throw EngineException.notImplemented(node.describe() + ": activation '" + name + "'; known are " + NAMES);
    }

    private static boolean takes(String name, String attribute) {
        OperatorSchema schema = Schemas.find(OpId.onnx(name), Integer.MAX_VALUE);
        return schema != null && schema.attribute(attribute) != null;
    }
}
