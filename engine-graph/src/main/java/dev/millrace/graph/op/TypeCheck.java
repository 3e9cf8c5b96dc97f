package dev.millrace.graph.op;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The types of a node's values against its operator's schema. What is not known of a type is allowed; what shares a
 * variable of the schema has to be of one type, inputs and outputs together.
 */
public final class TypeCheck {
    private final Node node;
    private final @Nullable OperatorSchema schema;
    private final List<String> errors = new ArrayList<>(0);
    private final Map<String, String> bound = new HashMap<>(4);

    TypeCheck(Node node, @Nullable OperatorSchema schema) {
        this.node = node;
        this.schema = schema;
    }

    /** A check of {@code node}, of which nothing is said where its operator has no schema. */
    public static TypeCheck of(Node node) {
        return new TypeCheck(node, Schemas.find(node.op(), node.opset()));
    }

    /** A check of {@code node} against the schema of its operator. */
    public static TypeCheck of(Node node, CustomOperator operator) {
        return new TypeCheck(node, operator.schema());
    }

    /** Checks the inputs, whose types are given by number; returns what is wrong so far, as sentences. */
    public List<String> inputs(IntFunction<@Nullable ValueType> types) {
        return schema == null ? errors : check("input", node.inputs(), schema.inputs(), types);
    }

    /** Checks the outputs, whose types are given by number; returns what is wrong so far, as sentences. */
    public List<String> outputs(IntFunction<@Nullable ValueType> types) {
        return schema == null ? errors : check("output", node.outputs(), schema.outputs(), types);
    }

    private List<String> check(
            String what,
            List<@Nullable Value> values,
            List<Parameter> parameters,
            IntFunction<@Nullable ValueType> types) {
        for (int i = 0; i < values.size(); i++) {
            Parameter parameter = OperatorSchema.parameter(parameters, i);
            if (parameter != null && values.get(i) != null) {
                check(what, i, parameter, types.apply(i));
            }
        }
        return errors;
    }

    private void check(String what, int index, Parameter parameter, @Nullable ValueType type) {
        String text = type == null ? null : TypeConstraint.text(type);
        if (schema == null || type == null || text == null) {
            return;
        }
        TypeConstraint constraint = schema.constraint(parameter.type());
        boolean allowed = constraint == null ? text.equals(parameter.type()) : constraint.allows(type);
        if (!allowed) {
            error(
                    what,
                    index,
                    parameter,
                    "is " + text + " where " + (constraint == null ? parameter.type() : constraint.describe())
                            + " is allowed");
        } else if (constraint != null && parameter.homogeneous()) {
            String other = bound.putIfAbsent(parameter.type(), text);
            if (other != null && !other.equals(text)) {
                error(
                        what,
                        index,
                        parameter,
                        "is " + text + ", but has to be " + other + " as what shares its type " + parameter.type());
            }
        }
    }

    private void error(String what, int index, Parameter parameter, String why) {
        errors.add(what + " " + index + " ('" + parameter.name() + "') " + why);
    }
}
