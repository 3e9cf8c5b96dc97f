package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A proposed change of one graph: steps in the order in which to apply them. Building a patch does not touch the graph.
 * The driver applies it, infers the types of new values, and removes nodes and constants that are no longer read.
 *
 * @param pass the name of the pass
 * @param reason the recognised pattern, in a few words
 * @param graph the graph that is changed
 */
public record Patch(String pass, String reason, Graph graph, List<Change> changes) {
    public Patch {
        changes = List.copyOf(changes);
    }

    /** One step of a patch. */
    public sealed interface Change {}

    /** Makes {@code value}, which has no source yet, a constant. */
    public record AddConstant(Value value, Tensor tensor) implements Change {}

    /** Adds a node right before {@code anchor} that produces {@code outputs}, which have no source yet. */
    public record AddNode(NodeSpec spec, Node anchor, List<@Nullable Value> outputs) implements Change {
        public AddNode {
            outputs = Collections.unmodifiableList(new ArrayList<>(outputs));
        }
    }

    /** Replaces {@code from} by {@code to}, which has the same content, in all its readers. */
    public record Redirect(Value from, Value to) implements Change {}

    public record SetInput(Node node, int index, @Nullable Value value) implements Change {}

    public record SetAttributes(Node node, Attributes attributes) implements Change {}

    /** Removes a node whose outputs nothing reads. */
    public record Remove(Node node) implements Change {}

    /** Removes a constant that nothing reads. */
    public record RemoveConstant(Value value) implements Change {}

    /**
     * Copies {@code body} before {@code caller} and replaces the caller's outputs by the body's in all their readers.
     */
    public record Inline(Node caller, Graph body) implements Change {}

    /** Collects the changes of a patch. Values that it returns get their source when the patch is applied. */
    public static final class Builder {
        private final String pass;
        private final String reason;
        private final Graph graph;
        private final @Nullable Node anchor;
        private final GraphEditor editor;
        private final List<Change> changes = new ArrayList<>();

        Builder(String pass, String reason, Graph graph, @Nullable Node anchor) {
            this.pass = pass;
            this.reason = reason;
            this.graph = graph;
            this.anchor = anchor;
            this.editor = new GraphEditor(graph);
        }

        public Value constant(String name, Tensor tensor) {
            return constant(name, tensor, ValueNotes.NONE);
        }

        /** Adds a constant with notes from the file. */
        public Value constant(String name, Tensor tensor, ValueNotes notes) {
            Value value = editor.value(name, null);
            editor.note(value, notes);
            changes.add(new AddConstant(value, tensor));
            return value;
        }

        /** Adds a node of one output before the anchor. */
        public Value add(NodeSpec spec, String outputName) {
            Value output = editor.value(outputName, null);
            changes.add(new AddNode(spec, requireAnchor(), Collections.singletonList(output)));
            return output;
        }

        /** Adds a node before the anchor and replaces {@code old} by its output, which inherits the name. */
        public Builder replace(Value old, NodeSpec spec) {
            return redirect(old, add(spec, old.name()));
        }

        public Builder redirect(Value from, Value to) {
            changes.add(new Redirect(from, to));
            return this;
        }

        public Builder setInput(Node node, int index, @Nullable Value value) {
            changes.add(new SetInput(node, index, value));
            return this;
        }

        public Builder setAttributes(Node node, Attributes attributes) {
            changes.add(new SetAttributes(node, attributes));
            return this;
        }

        public Builder remove(Node node) {
            changes.add(new Remove(node));
            return this;
        }

        public Builder removeConstant(Value value) {
            changes.add(new RemoveConstant(value));
            return this;
        }

        public Builder inline(Node caller, Graph body) {
            changes.add(new Inline(caller, body));
            return this;
        }

        public Patch build() {
            return new Patch(pass, reason, graph, changes);
        }

        private Node requireAnchor() {
            if (anchor == null) {
                throw new IllegalStateException("pass '" + pass + "' adds a node, but its patch has no anchor");
            }
            return anchor;
        }
    }
}
