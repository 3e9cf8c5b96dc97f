package dev.millrace.graph.op;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The result of a check of a node against its operator's schema.
 *
 * @param errors violations that make the node meaningless
 * @param warnings violations that can be ignored: attributes that the operator does not have, an operator that is
 *     deprecated
 * @param unknown the names of the attributes that the operator does not have
 */
public record SchemaCheck(List<String> errors, List<String> warnings, List<String> unknown) {
    private static final SchemaCheck PASSED = new SchemaCheck(List.of(), List.of(), List.of());

    public SchemaCheck {
        errors = List.copyOf(errors);
        warnings = List.copyOf(warnings);
        unknown = List.copyOf(unknown);
    }

    /** Checks {@code node}; an operator without a schema passes. */
    public static SchemaCheck check(Node node) {
        OperatorSchema schema = Schemas.find(node.op(), node.opset());
        if (schema == null) {
            int first = Schemas.firstVersion(node.op());
            return first < 0
                    ? PASSED
                    : new SchemaCheck(
                            List.of(node.describe() + ": the operator exists since opset " + first
                                    + ", but the model imports opset " + node.opset() + " of its domain"),
                            List.of(),
                            List.of());
        }
        return check(node, schema);
    }

    /** Checks {@code node} against the schema of its operator. */
    static SchemaCheck check(Node node, OperatorSchema schema) {
        return new Checker(node, schema).run();
    }

    /** Throws (INVALID_GRAPH) with all errors where there are any. */
    public void orThrow() {
        if (!errors.isEmpty()) {
            throw EngineException.invalidGraph(String.join("; ", errors));
        }
    }

    private static final class Checker {
        private final Node node;
        private final OperatorSchema schema;
        private final List<String> errors = new ArrayList<>();
        private final List<String> warnings = new ArrayList<>();
        private final List<String> unknown = new ArrayList<>();

        Checker(Node node, OperatorSchema schema) {
            this.node = node;
            this.schema = schema;
        }

        SchemaCheck run() {
            values("input", node.inputs(), schema.inputs());
            values("output", node.outputs(), schema.outputs());
            var types = new TypeCheck(node, schema);
            types.inputs(i -> type(node.input(i)));
            types.outputs(i -> type(node.output(i))).forEach(this::error);
            attributes();
            if (schema.deprecated()) {
                warnings.add(node.describe() + ": the operator is deprecated since opset " + schema.since());
            }
            return errors.isEmpty() && warnings.isEmpty() ? PASSED : new SchemaCheck(errors, warnings, unknown);
        }

        private static @Nullable ValueType type(@Nullable Value value) {
            return value == null ? null : value.type();
        }

        private void error(String what) {
            errors.add(node.describe() + ": " + what);
        }

        private void values(String what, List<@Nullable Value> values, List<Parameter> parameters) {
            int least = OperatorSchema.least(parameters);
            int most = OperatorSchema.most(parameters);
            if (values.size() < least || values.size() > most) {
                String allowed = least == most
                        ? Integer.toString(least)
                        : most == Integer.MAX_VALUE ? least + " or more" : least + " to " + most;
                error("it has " + values.size() + " " + what + "s where " + allowed + " are allowed");
            }
            for (int i = 0; i < values.size(); i++) {
                Parameter parameter = OperatorSchema.parameter(parameters, i);
                if (parameter == null) {
                    return;
                }
                if (values.get(i) == null && !parameter.isOptional() && what.equals("input")) {
                    error("input " + i + " ('" + parameter.name() + "') is omitted, but is needed");
                }
            }
        }

        private void attributes() {
            for (Map.Entry<String, Attribute> entry : node.attributes().asMap().entrySet()) {
                AttributeSpec spec = schema.attribute(entry.getKey());
                if (spec == null) {
                    unknown.add(entry.getKey());
                    warnings.add(node.describe() + ": attribute '" + entry.getKey()
                            + "' is unknown to the operator since opset " + schema.since() + "; it has "
                            + schema.attributes().stream()
                                    .map(AttributeSpec::name)
                                    .collect(Collectors.joining(", ", "[", "]")));
                } else if (!spec.kind().accepts(entry.getValue())) {
                    error("attribute '" + entry.getKey() + "' is of kind " + AttributeSpec.Kind.of(entry.getValue())
                            + " where " + spec.kind() + " is expected");
                }
            }
            for (AttributeSpec spec : schema.attributes()) {
                if (spec.required() && !node.attributes().has(spec.name())) {
                    error("attribute '" + spec.name() + "' of kind " + spec.kind() + " is missing");
                }
            }
        }
    }
}
