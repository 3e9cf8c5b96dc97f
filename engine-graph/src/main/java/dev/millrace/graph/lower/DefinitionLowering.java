package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.AttributeSpec;
import dev.millrace.graph.op.Definition;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.Term;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Writes what the table of operators says that one is made of.
///
/// What lies between two operators would be rounded to the type of the inputs. So floats of 16 bits become wider ones
/// before and narrow ones after the whole formula, and whole numbers are computed with as doubles. Where the type is
/// only known in a run, all is computed in it.
final class DefinitionLowering {
    private final Composer c;
    private final NodeSpec spec;
    private final @Nullable ElementType elementType;
    private final @Nullable ElementType within;
    private final Map<Integer, Value> widened = new HashMap<>();

    private DefinitionLowering(Composer c, NodeSpec spec, @Nullable ElementType elementType, Term.Call formula) {
        this.c = c;
        this.spec = spec;
        this.elementType = elementType;
        this.within = elementType != null && formula.isNested() ? between(elementType) : elementType;
    }

    private static ElementType between(ElementType elementType) {
        if (!elementType.isFloating()) {
            return ElementType.DOUBLE;
        }
        return elementType.bits() < ElementType.FLOAT.bits() ? ElementType.FLOAT : elementType;
    }

    /// The lowering of a node, or null where the table says of no formula.
    static @Nullable Lowering of(Node node) {
        return Schemas.isDefined(node.op()) ? c -> write(c, definitions(node.op(), node.opset())) : null;
    }

    private static List<Definition> definitions(OpId op, int opset) {
        OperatorSchema schema = Schemas.find(op, opset);
        return schema == null ? List.of() : Schemas.definitions(schema);
    }

    private static void write(Composer c, List<Definition> definitions) {
        Node node = c.node();
        NodeSpec spec = NodeSpec.like(node, node.inputs());
        for (Definition definition : definitions) {
            Value result =
                    new DefinitionLowering(c, spec, c.input(0).elementType(), definition.formula()).of(definition);
            if (result != null) {
                c.result(definition.output(), result);
            }
        }
    }

    /// Adds a node of one output, or what its operator is made of.
    ///
    /// @param type of what the node reads, or null where that is not known
    static Value add(Composer c, NodeSpec spec, @Nullable ElementType type) {
        if (!Schemas.isDefined(spec.op())) {
            return c.add(spec);
        }
        Definition definition = definitions(spec.op(), spec.opset()).getFirst();
        return Objects.requireNonNull(new DefinitionLowering(c, spec, type, definition.formula()).of(definition));
    }

    /// The result, or null where the formula is one of an input that was left out.
    private @Nullable Value of(Definition definition) {
        Value result = call(definition.formula());
        return result == null || elementType == null || within == elementType ? result : c.cast(result, elementType);
    }

    private @Nullable Value value(Term term) {
        return switch (term) {
            case Term.Input(int index) -> input(index);
            case Term.Setting(AttributeSpec attribute) ->
                number(Attributes.of(attribute.name(), setting(attribute)).real(attribute.name()));
            case Term.Number(double number) -> number(number);
            case Term.Word(String text) -> throw new IllegalStateException("'" + text + "' is no operand");
            case Term.Call call -> call(call);
        };
    }

    private Value number(double number) {
        return within == null
                ? c.op(
                        OpName.CAST_LIKE,
                        c.scalar(ElementType.DOUBLE, number),
                        spec.inputs().getFirst())
                : c.scalar(within, number);
    }

    private @Nullable Value input(int index) {
        Value value = index < spec.inputs().size() ? spec.inputs().get(index) : null;
        if (value == null || within == null) {
            return value;
        }
        ElementType type = value.elementType();
        if (type == within || type == null && elementType == within) {
            return value;
        }
        Value wide = widened.get(index);
        if (wide == null) {
            wide = c.cast(value, within);
            widened.put(index, wide);
        }
        return wide;
    }

    private Attribute setting(AttributeSpec attribute) {
        Attribute own = spec.attributes().find(attribute.name());
        return own != null ? own : Objects.requireNonNull(attribute.defaultValue());
    }

    private @Nullable Value call(Term.Call call) {
        var operands = new ArrayList<Value>();
        for (Term term : call.operands()) {
            Value operand = value(term);
            if (operand != null) {
                operands.add(operand);
            }
        }
        if (operands.size() < call.operands().size()) {
            return operands.isEmpty() ? null : operands.getFirst();
        }
        var attributes = Attributes.NONE;
        for (Map.Entry<String, Term> entry : call.attributes().entrySet()) {
            attributes = attributes.with(entry.getKey(), attribute(entry.getValue()));
        }
        int opset = Math.max(Composer.OPSET, Schemas.firstVersion(call.op()));
        NodeSpec written = c.onnx(call.op().name(), opset, operands.toArray(new Value[0]));
        return c.add(written.with(attributes));
    }

    private Attribute attribute(Term term) {
        return switch (term) {
            case Term.Setting(AttributeSpec attribute) -> setting(attribute);
            case Term.Number(double number) -> Attribute.of((float) number);
            case Term.Word(String text) -> Attribute.of(text);
            case Term.Input _, Term.Call _ -> throw new IllegalStateException(term + " is no attribute");
        };
    }
}
