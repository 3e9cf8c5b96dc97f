package dev.millrace.cli.operators;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.AttributeSpec;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Parameter;
import dev.millrace.graph.op.TypeConstraint;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A graph of one node that has what its schema demands and nothing else, to ask a provider by. */
final class OneNodeGraph {
    private static final int AXES = 4;

    private final OperatorSchema schema;
    private final String variable;
    private final ElementType element;
    private final GraphEditor editor = new GraphEditor(Graph.named("question"));

    private OneNodeGraph(OperatorSchema schema, String variable, ElementType element) {
        this.schema = schema;
        this.variable = variable;
        this.element = element;
    }

    /** @param element what a variable of the schema stands for; the others stand for float where they may */
    static Graph of(OperatorSchema schema, String variable, ElementType element) {
        return new OneNodeGraph(schema, variable, element).make();
    }

    private Graph make() {
        List<@Nullable Value> inputs = new ArrayList<>();
        for (Parameter parameter : schema.inputs()) {
            if (!parameter.isOptional()) {
                inputs.add(editor.addInput("in" + inputs.size(), type(parameter)));
            }
        }
        var attributes = Attributes.NONE;
        for (AttributeSpec attribute : schema.attributes()) {
            Attribute value = attribute.required() ? value(attribute.kind()) : null;
            attributes = value == null ? attributes : attributes.with(attribute.name(), value);
        }
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < Math.max(1, OperatorSchema.least(schema.outputs())); i++) {
            names.add("out" + i);
        }
        Node node =
                editor.append(NodeSpec.of(schema.op(), schema.since(), inputs).with(attributes), names);
        for (int i = 0; i < names.size(); i++) {
            Parameter parameter = OperatorSchema.parameter(schema.outputs(), i);
            Value output = node.requireOutput(i);
            editor.setType(output, parameter == null ? null : type(parameter));
            editor.addOutput(output.name(), output);
        }
        return editor.graph();
    }

    private @Nullable ValueType type(Parameter parameter) {
        TypeConstraint constraint = schema.constraint(parameter.type());
        if (constraint == null) {
            return parameter.type().indexOf('(') < 0 ? tensor(ElementType.ofName(parameter.type())) : null;
        }
        if (parameter.type().equals(variable)) {
            return tensor(element);
        }
        if (constraint.tensors().isEmpty()) {
            return null;
        }
        boolean real = constraint.tensors().contains(ElementType.FLOAT);
        return tensor(real ? ElementType.FLOAT : constraint.tensors().iterator().next());
    }

    private static ValueType tensor(ElementType element) {
        Dim[] dims = new Dim[AXES];
        for (int i = 0; i < AXES; i++) {
            dims[i] = Dim.symbol("d" + i);
        }
        return ValueType.tensor(element, SymbolicShape.of(dims));
    }

    private static @Nullable Attribute value(AttributeSpec.Kind kind) {
        return switch (kind) {
            case INT -> Attribute.of(1);
            case FLOAT -> Attribute.of(1f);
            case STRING -> Attribute.of("");
            case INTS -> Attribute.of(new long[] {1});
            case FLOATS -> new Attribute.Floats(List.of(1f));
            default -> null;
        };
    }
}
