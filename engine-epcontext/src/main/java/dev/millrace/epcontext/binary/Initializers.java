package dev.millrace.epcontext.binary;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Function;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The weights of a model by their names: several of a name where graphs are nested. */
public final class Initializers {
    private static final String CONSTANT = "Constant";

    private final Map<String, List<Tensor>> byName = new LinkedHashMap<>();

    private Initializers() {}

    public static Map<String, List<Tensor>> of(Model model) {
        var all = new Initializers();
        all.collect(model.graph());
        for (Function function : model.functions().values()) {
            all.collect(function.body());
        }
        return all.byName;
    }

    /** Whether a tensor has memory that can be named. */
    public static boolean hasBytes(Tensor tensor) {
        return tensor.type() != ElementType.STRING && !tensor.isClosed();
    }

    private void collect(Graph graph) {
        for (Value value : graph.constants()) {
            add(value.name(), value.constant());
        }
        for (Value input : graph.inputs()) {
            add(input.name(), graph.defaultOf(input));
        }
        for (Node node : graph.nodes()) {
            Value made = node.op().name().equals(CONSTANT) && !node.outputs().isEmpty() ? node.output(0) : null;
            if (made != null && node.attributes().find("value") instanceof Attribute.TensorValue one) {
                add(made.name(), one.value());
            }
            node.attributes().graphs().forEach(this::collect);
        }
    }

    private void add(String name, @Nullable Tensor tensor) {
        if (tensor != null && hasBytes(tensor)) {
            byName.computeIfAbsent(name, _ -> new ArrayList<>()).add(tensor);
        }
    }
}
