package dev.millrace.inspect;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** A graph as JSON: nodes with what they read and write, nested graphs inside of their nodes, types by the names of values. */
final class GraphJson {
    private static final int LONGEST_TEXT = 80;

    private final JsonGenerator json;

    private int left;

    /** @param mostNodes how many nodes are written at most, those of nested graphs included */
    GraphJson(JsonGenerator json, int mostNodes) {
        this.json = json;
        left = mostNodes;
    }

    void write(String property, Graph graph) {
        json.writeObjectPropertyStart(property);
        json.writeStringProperty("name", graph.name());
        names("inputs", graph.inputs());
        json.writeArrayPropertyStart("outputs");
        for (int i = 0; i < graph.outputs().size(); i++) {
            json.writeStartArray();
            json.writeString(graph.outputNames().get(i));
            json.writeString(graph.outputs().get(i).name());
            json.writeEndArray();
        }
        json.writeEndArray();
        json.writeObjectPropertyStart("types");
        List<Node> nodes = take(graph);
        Collection<Value> constants = graph.constants();
        if (left == 0) {
            Set<@Nullable Value> read = new HashSet<>();
            nodes.forEach(node -> read.addAll(node.inputs()));
            constants = constants.stream().filter(read::contains).toList();
        }
        graph.inputs().forEach(this::type);
        constants.forEach(this::type);
        nodes.forEach(node -> node.outputs().forEach(this::type));
        json.writeEndObject();
        names("constants", constants);
        JsonText.objects(json, "nodes", nodes, this::node);
        json.writeEndObject();
    }

    /** Returns the nodes of a graph, as many as may still be written. */
    private List<Node> take(Graph graph) {
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            if (left == 0) {
                break;
            }
            left--;
            nodes.add(node);
        }
        return nodes;
    }

    private void names(String property, Iterable<? extends @Nullable Value> values) {
        JsonText.array(json, property, values, value -> json.writeString(value == null ? "" : value.name()));
    }

    private void type(@Nullable Value value) {
        if (value != null && value.type() != null) {
            json.writeStringProperty(value.name(), value.type().toString());
        }
    }

    private void node(Node node) {
        json.writeStringProperty("name", node.name());
        json.writeStringProperty("op", node.op().toString());
        names("in", node.inputs());
        names("out", node.outputs());
        json.writeObjectPropertyStart("attributes");
        node.attributes().asMap().forEach((name, value) -> {
            if (!(value instanceof Attribute.GraphValue)) {
                json.writeStringProperty(name, text(value));
            }
        });
        json.writeEndObject();
        List<Map.Entry<String, Attribute>> nested = node.attributes().asMap().entrySet().stream()
                .filter(entry -> entry.getValue() instanceof Attribute.GraphValue)
                .toList();
        if (!nested.isEmpty()) {
            json.writeObjectPropertyStart("graphs");
            nested.forEach(entry -> write(entry.getKey(), ((Attribute.GraphValue) entry.getValue()).value()));
            json.writeEndObject();
        }
    }

    private static String text(Attribute attribute) {
        String text = switch (attribute) {
            case Attribute.Int whole -> Long.toString(whole.value());
            case Attribute.Float real -> Float.toString(real.value());
            case Attribute.Ints whole -> whole.values().toString();
            case Attribute.Floats real -> real.values().toString();
            case Attribute.TensorValue tensor -> tensor(tensor.value());
            default -> attribute.toString();
        };
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "…";
    }

    private static String tensor(Tensor tensor) {
        return tensor.type() + tensor.shape().toString();
    }
}
