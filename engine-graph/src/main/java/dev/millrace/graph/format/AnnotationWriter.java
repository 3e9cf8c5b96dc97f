package dev.millrace.graph.format;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import dev.millrace.graph.proto.TensorAnnotation;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the quantisation annotations of a graph. A parameter that nothing else reads any more and that is a constant
 * becomes an initializer again; one that was computed and is gone is left out.
 */
final class AnnotationWriter {
    private final Graph graph;
    private final Names names;
    private final Consumer<Value> gone;
    private final Map<String, Map<String, String>> annotations = new LinkedHashMap<>();

    private AnnotationWriter(Graph graph, Names names, Consumer<Value> gone) {
        this.graph = graph;
        this.names = names;
        this.gone = gone;
    }

    /** @param gone takes the constants that have to be written for the annotations' sake, and are named by then */
    static List<TensorAnnotation> of(Graph graph, Names names, Consumer<Value> gone) {
        var writer = new AnnotationWriter(graph, names, gone);
        writer.addAll();
        var protos = new ArrayList<TensorAnnotation>();
        writer.annotations.forEach((tensor, parameters) -> {
            var proto = TensorAnnotation.newBuilder().setTensorName(tensor);
            parameters.forEach((role, name) -> proto.addQuantParameterTensorNames(TensorWriter.entry(role, name)));
            protos.add(proto.build());
        });
        return protos;
    }

    private void addAll() {
        graph.inputs().forEach(this::add);
        graph.constants().forEach(this::add);
        for (Node node : graph.nodes()) {
            for (Value output : node.outputs()) {
                if (output != null) {
                    add(output);
                }
            }
        }
        for (Names.Output output : names.outputs()) {
            add(output.name(), output.notes());
        }
    }

    private void add(Value value) {
        if (!value.notes().quantisation().isEmpty()) {
            add(names.of(value), value.notes());
        }
    }

    private void add(String tensor, ValueNotes notes) {
        notes.quantisation().forEach((role, parameter) -> {
            String name = nameOf(parameter);
            if (name != null) {
                annotations.computeIfAbsent(tensor, _ -> new LinkedHashMap<>()).put(role, name);
            }
        });
    }

    private @Nullable String nameOf(Value parameter) {
        String known = names.find(parameter);
        Tensor tensor = parameter.constant();
        if (known != null || tensor == null) {
            return known;
        }
        String name = names.addConstant(parameter);
        gone.accept(parameter);
        return name;
    }
}
