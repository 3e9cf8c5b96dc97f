package dev.millrace.graph.ir;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All of a node but its outputs: what to add to a graph.
 *
 * @param metadata what a file says of the node beside that, which nothing is computed by
 */
public record NodeSpec(
        OpId op,
        int opset,
        String name,
        String overload,
        List<@Nullable Value> inputs,
        Attributes attributes,
        Map<String, String> metadata) {

    public NodeSpec {
        inputs = Collections.unmodifiableList(new ArrayList<>(inputs));
        metadata = metadata.isEmpty() ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(metadata));
    }

    /** A node of which nothing more is said. */
    public NodeSpec(
            OpId op, int opset, String name, String overload, List<@Nullable Value> inputs, Attributes attributes) {
        this(op, opset, name, overload, inputs, attributes, Map.of());
    }

    public static NodeSpec of(OpId op, int opset, @Nullable Value... inputs) {
        return new NodeSpec(op, opset, "", "", Arrays.asList(inputs), Attributes.NONE);
    }

    public static NodeSpec of(OpId op, int opset, List<@Nullable Value> inputs) {
        return new NodeSpec(op, opset, "", "", inputs, Attributes.NONE);
    }

    /** The same operator, opset, name, attributes and metadata as {@code node}, reading {@code inputs}. */
    public static NodeSpec like(Node node, List<@Nullable Value> inputs) {
        return new NodeSpec(
                node.op(), node.opset(), node.name(), node.overload(), inputs, node.attributes(), node.metadata());
    }

    public NodeSpec named(String newName) {
        return new NodeSpec(op, opset, newName, overload, inputs, attributes, metadata);
    }

    /** The same call of another overload of a function. */
    public NodeSpec overloaded(String newOverload) {
        return new NodeSpec(op, opset, name, newOverload, inputs, attributes, metadata);
    }

    public NodeSpec with(Attributes newAttributes) {
        return new NodeSpec(op, opset, name, overload, inputs, newAttributes, metadata);
    }

    public NodeSpec with(String attribute, Attribute value) {
        return with(attributes.with(attribute, value));
    }
}
