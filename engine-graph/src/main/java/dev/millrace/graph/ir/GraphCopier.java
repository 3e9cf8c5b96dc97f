package dev.millrace.graph.ir;

import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Deep copies of graphs: nodes, values and nested graphs are new, tensors are shared. A value of a graph that encloses
 * the source stays itself in the copy, unless a replacement is given for it.
 */
public final class GraphCopier {
    private final IdentityHashMap<Value, @Nullable Value> copies = new IdentityHashMap<>();
    private final NoteCopies notes = new NoteCopies();
    private final Rewrite rewrite;

    private GraphCopier(Rewrite rewrite) {
        this.rewrite = rewrite;
    }

    /** The changes that a copy makes to the source's own nodes and to those of its nested graphs. */
    public interface Rewrite {
        /** Changes nothing. */
        Rewrite NOTHING = (_, copy) -> copy;

        /** Returns the node to add for {@code original}; {@code copy} already reads the copied values. */
        NodeSpec node(Node original, NodeSpec copy);

        /** Returns the type of the copy of a value whose type is {@code type}. */
        default @Nullable ValueType type(@Nullable ValueType type) {
            return type;
        }
    }

    /** Copies {@code source} into a graph nested in {@code parent}, or into a main graph where that is null. */
    public static Graph copy(Graph source, @Nullable Graph parent) {
        return copy(source, parent, Map.of());
    }

    /**
     * Copies {@code source} into {@code parent}. The copy reads {@code outer}'s values where the source reads its keys.
     */
    public static Graph copy(Graph source, @Nullable Graph parent, Map<Value, Value> outer) {
        var copier = new GraphCopier(Rewrite.NOTHING);
        copier.copies.putAll(outer);
        Graph copy = copier.copyGraph(source, parent);
        copier.carryNotes();
        return copy;
    }

    /**
     * Copies the contents of {@code source} into another graph, before {@code anchor} or at the end where that is null.
     *
     * @param inputs the value for each input of the source, null for one that is omitted; an input that is no key takes
     *     its default
     * @return the value for each output of the source; null for one that is an omitted input
     */
    public static List<@Nullable Value> copyInto(
            Graph source,
            GraphEditor target,
            @Nullable Node anchor,
            Map<Value, @Nullable Value> inputs,
            Rewrite rewrite) {
        var copier = new GraphCopier(rewrite);
        copier.copies.putAll(inputs);
        for (Value input : source.inputs()) {
            Tensor otherwise = source.defaultOf(input);
            if (!inputs.containsKey(input)) {
                if (otherwise == null) {
                    throw new IllegalArgumentException("nothing stands for input " + input + " of " + source);
                }
                copier.copies.put(input, target.addConstant(input.name(), otherwise));
            }
        }
        copier.copyContents(source, target, anchor);
        copier.carryNotes();
        var outputs = new ArrayList<@Nullable Value>(source.outputs().size());
        for (Value output : source.outputs()) {
            outputs.add(copier.copyOf(output));
        }
        return outputs;
    }

    private Graph copyGraph(Graph source, @Nullable Graph parent) {
        Graph copy = parent == null ? Graph.named(source.name()) : Graph.nested(source.name(), parent);
        var editor = new GraphEditor(copy);
        editor.document(source.documentation());
        source.metadata().forEach(editor::metadata);
        for (Value input : source.inputs()) {
            ValueType type = rewrite.type(input.type());
            Tensor otherwise = source.defaultOf(input);
            Value made = otherwise == null
                    ? editor.addInput(input.name(), type)
                    : editor.addInput(input.name(), type, otherwise);
            editor.declare(made, rewrite.type(input.declared()));
            made(input, made);
        }
        copyContents(source, editor, null);
        for (int i = 0; i < source.outputs().size(); i++) {
            Value output = copyOf(source.outputs().get(i));
            if (output == null) {
                throw new IllegalArgumentException("output " + source.outputs().get(i) + " of " + source
                        + " is a value that is omitted where the copy stands");
            }
            editor.addOutput(source.outputNames().get(i), output);
        }
        notes.made(source, copy);
        return copy;
    }

    private void copyContents(Graph source, GraphEditor target, @Nullable Node anchor) {
        for (Value constant : source.constants()) {
            Tensor tensor = constant.constant();
            if (tensor != null) {
                made(constant, target.addConstant(constant.name(), tensor));
            }
        }
        for (Node node : source.nodes()) {
            copyNode(node, target, anchor);
        }
    }

    private void copyNode(Node node, GraphEditor target, @Nullable Node anchor) {
        var inputs = new ArrayList<@Nullable Value>(node.inputs.length);
        for (Value input : node.inputs) {
            inputs.add(input == null ? null : copyOf(input));
        }
        NodeSpec spec = rewrite.node(node, NodeSpec.like(node, inputs));
        @Nullable Value[] outputs = new Value[node.outputs.length];
        for (int i = 0; i < outputs.length; i++) {
            Value output = node.outputs[i];
            if (output != null) {
                Value copy = target.value(output.name(), rewrite.type(output.type()));
                target.declare(copy, rewrite.type(output.declared()));
                outputs[i] = copy;
                made(output, copy);
            }
        }
        target.insert(
                spec.with(spec.attributes().withGraphs(graph -> copyGraph(graph, target.graph()))), anchor, outputs);
    }

    private void made(Value value, Value copy) {
        copies.put(value, copy);
        notes.made(value, copy);
    }

    private void carryNotes() {
        notes.carry(value -> {
            Value copy = copyOf(value);
            return copy == null ? value : copy;
        });
    }

    private @Nullable Value copyOf(Value value) {
        return copies.containsKey(value) ? copies.get(value) : value;
    }
}
