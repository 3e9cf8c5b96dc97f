package dev.millrace.graph.ir;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A node without its outputs, to be added to a graph.
 *
 * @param remarks the documentation and metadata of the node in the file
 */
public record NodeSpec(
        OpId op,
        int opset,
        String name,
        String overload,
        List<@Nullable Value> inputs,
        Attributes attributes,
        Remarks remarks) {

    public NodeSpec {
        inputs = Collections.unmodifiableList(new ArrayList<>(inputs));
    }

    /** Creates a node without remarks. */
    public NodeSpec(
            OpId op, int opset, String name, String overload, List<@Nullable Value> inputs, Attributes attributes) {
        this(op, opset, name, overload, inputs, attributes, Remarks.NONE);
    }

    public static NodeSpec of(OpId op, int opset, @Nullable Value... inputs) {
        return new NodeSpec(op, opset, "", "", Arrays.asList(inputs), Attributes.NONE);
    }

    public static NodeSpec of(OpId op, int opset, List<@Nullable Value> inputs) {
        return new NodeSpec(op, opset, "", "", inputs, Attributes.NONE);
    }

    /**
     * Returns a node with the operator, opset, name, attributes and remarks of {@code node} that reads {@code inputs}.
     */
    public static NodeSpec like(Node node, List<@Nullable Value> inputs) {
        return new NodeSpec(
                node.op(), node.opset(), node.name(), node.overload(), inputs, node.attributes(), node.remarks());
    }

    public NodeSpec named(String newName) {
        return new NodeSpec(op, opset, newName, overload, inputs, attributes, remarks);
    }

    /** Returns this call with another overload of the function. */
    public NodeSpec overloaded(String newOverload) {
        return new NodeSpec(op, opset, name, newOverload, inputs, attributes, remarks);
    }

    public NodeSpec with(Attributes newAttributes) {
        return new NodeSpec(op, opset, name, overload, inputs, newAttributes, remarks);
    }

    public NodeSpec with(String attribute, Attribute value) {
        return with(attributes.with(attribute, value));
    }
}
