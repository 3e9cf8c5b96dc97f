package dev.millrace.graph.format;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All that a model says, as text: models with equal texts are equal. */
public final class ModelText {
    private final StringBuilder text = new StringBuilder();

    private ModelText() {}

    public static String of(Model model) {
        var made = new ModelText();
        Model.Header header = model.header();
        made.line(0, "model", header.producerName(), header.producerVersion(), header.domain());
        made.line(0, header.modelVersion(), header.documentation(), model.metadata(), new TreeMap<>(model.opsets()));
        model.functions().forEach((id, function) -> {
            made.line(0, "function", id, function.attributeNames(), new TreeMap<>(function.opsets()));
            made.attributes(1, function.attributeDefaults());
            made.graph(1, function.body());
        });
        made.graph(0, model.graph());
        return made.text.toString();
    }

    public static String of(Graph graph) {
        var made = new ModelText();
        made.graph(0, graph);
        return made.text.toString();
    }

    private void graph(int depth, Graph graph) {
        line(depth, "graph", graph.name(), graph.documentation(), graph.metadata());
        for (Value input : graph.inputs()) {
            Tensor otherwise = graph.defaultOf(input);
            line(depth, "input", input, otherwise == null ? "" : tensor(otherwise));
        }
        graph.constants().stream()
                .map(value -> value.name() + " = " + tensor(value.constant()))
                .sorted()
                .forEach(constant -> line(depth, "constant", constant));
        for (Node node : graph.nodes()) {
            line(depth, node.op(), node.opset(), node.name(), node.overload());
            line(depth + 1, values(node.inputs()), "->", values(node.outputs()));
            attributes(depth + 1, node.attributes());
        }
        line(depth, "outputs", graph.outputNames(), values(graph.outputs()));
    }

    private static String values(List<? extends @Nullable Value> values) {
        return values.stream()
                .map(value -> value == null ? "-" : value.toString())
                .collect(Collectors.joining(", "));
    }

    private void attributes(int depth, Attributes attributes) {
        attributes.asMap().forEach((name, attribute) -> {
            switch (attribute) {
                case Attribute.TensorValue one -> line(depth, name, tensor(one.value()));
                case Attribute.Tensors many ->
                    line(
                            depth,
                            name,
                            many.values().stream().map(ModelText::tensor).toList());
                case Attribute.Sparse sparse ->
                    line(depth, name, tensor(sparse.values()), tensor(sparse.indices()), sparse.dims());
                case Attribute.GraphValue one -> {
                    line(depth, name);
                    graph(depth + 1, one.value());
                }
                case Attribute.Graphs many -> {
                    line(depth, name);
                    many.values().forEach(graph -> graph(depth + 1, graph));
                }
                default -> line(depth, name, attribute);
            }
        });
    }

    private static String tensor(@Nullable Tensor tensor) {
        if (tensor == null) {
            return "no tensor";
        }
        return tensor + " "
                + (tensor.type() == ElementType.STRING
                        ? Arrays.toString(tensor.strings())
                        : Integer.toHexString(Arrays.hashCode(tensor.segment().toArray(ByteLayouts.BYTE))));
    }

    private void line(int depth, Object... words) {
        text.repeat("  ", depth)
                .append(Arrays.stream(words).map(Object::toString).collect(Collectors.joining(" ")))
                .append('\n');
    }
}
