package dev.millrace.providers.simd.context;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.SchemaCheck;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes the graph of a plan again. Every node reads what was made before it, and keeps its operator's schema. */
final class PlanGraphReader {
    private final PlanSource source;
    private final ByteReader from;
    /** The values in scope, by their numbers. */
    private final List<Value> values = new ArrayList<>();

    PlanGraphReader(PlanSource source) {
        this.source = source;
        from = source.bytes();
    }

    Graph read() {
        return graph(null, 0);
    }

    private Graph graph(@Nullable Graph around, int depth) {
        if (depth > PlanFormat.DEEPEST) {
            throw ByteReader.damaged("graphs are nested deeper than " + PlanFormat.DEEPEST + " levels");
        }
        int outside = values.size();
        String name = source.text();
        Graph graph = around == null ? Graph.named(name) : Graph.nested(name, around);
        var editor = new GraphEditor(graph);
        for (int i = from.count("inputs"); i > 0; i--) {
            Value input = editor.addInput(source.text(), TypeFormat.read(source));
            values.add(input);
            int otherwise = from.below(source.tensors().size() + 1, "tensor");
            if (otherwise > 0) {
                editor.defaultInput(input, source.tensors().get(otherwise - 1));
            }
        }
        for (int i = from.count("constants"); i > 0; i--) {
            values.add(editor.addConstant(source.text(), source.tensor()));
        }
        for (int i = from.count("nodes"); i > 0; i--) {
            node(editor, depth);
        }
        for (int i = from.count("outputs"); i > 0; i--) {
            editor.addOutput(source.text(), values.get(from.below(values.size(), "value")));
        }
        values.subList(outside, values.size()).clear();
        return graph;
    }

    private void node(GraphEditor editor, int depth) {
        var op = new OpId(source.text(), source.text());
        int opset = from.below(Integer.MAX_VALUE, "opset");
        String name = source.text();
        String overload = source.text();
        var inputs = new ArrayList<@Nullable Value>();
        for (int i = from.count("inputs"); i > 0; i--) {
            int input = from.below(values.size() + 1, "value");
            inputs.add(input == 0 ? null : values.get(input - 1));
        }
        Attributes attributes = attributes(editor.graph(), depth);
        @Nullable Value[] outputs = new Value[from.count("outputs")];
        for (int i = 0; i < outputs.length; i++) {
            if (from.below(2, "kind of output") == 1) {
                outputs[i] = editor.value(source.text(), TypeFormat.read(source));
                values.add(outputs[i]);
            }
        }
        NodeSpec spec =
                NodeSpec.of(op, opset, inputs).named(name).overloaded(overload).with(attributes);
        Node node = editor.insert(spec, null, outputs);
        SchemaCheck.check(node).orThrow();
    }

    private Attributes attributes(Graph graph, int depth) {
        var attributes = new LinkedHashMap<String, Attribute>();
        for (int i = from.count("attributes"); i > 0; i--) {
            String name = source.text();
            if (attributes.put(name, attribute(graph, depth)) != null) {
                throw ByteReader.damaged("attribute '" + name + "' stands twice at a node");
            }
        }
        return Attributes.of(attributes);
    }

    private Attribute attribute(Graph graph, int depth) {
        int kind = from.below(PlanFormat.SPARSE + 1, "kind of attribute");
        return switch (kind) {
            case PlanFormat.INT -> new Attribute.Int(from.signed());
            case PlanFormat.FLOAT -> new Attribute.Float(from.real());
            case PlanFormat.TEXT -> text();
            case PlanFormat.TENSOR -> new Attribute.TensorValue(source.tensor());
            case PlanFormat.GRAPH -> new Attribute.GraphValue(graph(graph, depth + 1));
            case PlanFormat.TYPE -> new Attribute.TypeValue(type());
            case PlanFormat.INTS -> new Attribute.Ints(list(from::signed));
            case PlanFormat.FLOATS -> new Attribute.Floats(list(from::real));
            case PlanFormat.TEXTS -> new Attribute.Strings(list(this::text));
            case PlanFormat.TENSORS -> new Attribute.Tensors(list(source::tensor));
            case PlanFormat.GRAPHS -> new Attribute.Graphs(list(() -> graph(graph, depth + 1)));
            case PlanFormat.TYPES -> new Attribute.Types(list(this::type));
            case PlanFormat.SPARSE -> new Attribute.Sparse(source.tensor(), source.tensor(), list(from::signed));
            default -> throw ByteReader.damaged("there is no kind of attribute " + kind);
        };
    }

    private <T> List<T> list(Supplier<T> read) {
        var items = new ArrayList<T>();
        for (int i = from.count("items"); i > 0; i--) {
            items.add(read.get());
        }
        return items;
    }

    private Attribute.Bytes text() {
        return new Attribute.Bytes(from.bytes("characters").toArray(ValueLayout.JAVA_BYTE));
    }

    private ValueType type() {
        ValueType type = TypeFormat.read(source);
        if (type == null) {
            throw ByteReader.damaged("an attribute holds a type that says nothing");
        }
        return type;
    }
}
