package dev.millrace.graph.optimise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.pass.Effects;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.optimise.pass.TypeAgreement;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Applies one patch: its changes, then inference of the types that they affect, then removal of what is no longer read.
 */
final class PatchApplier {
    private static final int MOST_READS_IN_PATTERNS = 4;
    private static final int MOST_INPUTS_TYPED_ALONE = 256;
    private static final int MOST_FACTORS = 64;

    private final GraphEditor editor;
    private final Set<Node> touched = new LinkedHashSet<>();
    private final ArrayDeque<Node> retype = new ArrayDeque<>();
    private final ArrayDeque<Value> unread = new ArrayDeque<>();

    private PatchApplier(Graph graph) {
        this.editor = new GraphEditor(graph);
    }

    /** Applies {@code patch} and returns the nodes whose neighbours changed, new nodes included. */
    static Collection<Node> apply(Patch patch) {
        var applier = new PatchApplier(patch.graph());
        patch.changes().forEach(applier::apply);
        applier.inferTypes();
        applier.removeUnread();
        applier.touched.removeIf(Node::isRemoved);
        return applier.touched;
    }

    private void apply(Patch.Change change) {
        switch (change) {
            case Patch.AddConstant add -> editor.makeConstant(add.value(), add.tensor());
            case Patch.AddNode add -> {
                requirePresent(add.anchor());
                added(editor.insert(add.spec(), add.anchor(), add.outputs().toArray(new Value[0])));
            }
            case Patch.Redirect redirect -> redirect(redirect.from(), redirect.to());
            case Patch.SetInput set -> {
                requirePresent(set.node());
                lostReader(set.node().input(set.index()));
                editor.setInput(set.node(), set.index(), set.value());
                changed(set.node());
            }
            case Patch.SetAttributes set -> {
                requirePresent(set.node());
                editor.setAttributes(set.node(), set.attributes());
                changed(set.node());
            }
            case Patch.Remove remove -> remove(remove.node());
            case Patch.RemoveConstant remove -> new GraphEditor(remove.value().graph()).removeConstant(remove.value());
            case Patch.Inline inline -> {
                requirePresent(inline.caller());
                inline(inline.caller(), inline.body());
            }
        }
    }

    private void inline(Node caller, Graph body) {
        Node before = caller.previous();
        List<@Nullable Value> results =
                GraphCopier.copyInto(body, editor, caller, Map.of(), GraphCopier.Rewrite.NOTHING);
        Node node = before == null ? editor.graph().firstNode() : before.next();
        for (; node != null && node != caller; node = node.next()) {
            added(node);
        }
        for (int i = 0; i < results.size(); i++) {
            Value output = caller.output(i);
            Value result = results.get(i);
            if (output != null && result != null) {
                redirect(output, result);
            }
        }
    }

    private void added(Node node) {
        inferTypes(node);
        touched.add(node);
    }

    private void changed(Node node) {
        touched.add(node);
        retype.add(node);
    }

    private void redirect(Value from, Value to) {
        String conflict = TypeAgreement.conflict(from.type(), to.type());
        if (conflict != null) {
            throw EngineException.invalidGraph("'" + from.name() + "' cannot become '" + to.name() + "': " + conflict);
        }
        refine(to, from.type());
        if (to.declared() == null) {
            editor.declare(to, from.declared());
        }
        touched.addAll(from.users());
        if (!from.isConstant() && decidesTypes(to.constant()) || !Objects.equals(from.type(), to.type())) {
            retype.addAll(from.users());
        }
        editor.replaceUses(from, to);
        lostReader(from);
        if (to.producer() != null) {
            touched.add(to.producer());
        }
    }

    /**
     * Whether types may depend on the content of a constant: integers, which are extents or indices, and a few float
     * factors.
     */
    private static boolean decidesTypes(@Nullable Tensor constant) {
        return constant != null && (!constant.type().isFloating() || constant.elements() <= MOST_FACTORS);
    }

    private void lostReader(@Nullable Value value) {
        if (value != null) {
            unread.add(value);
        }
    }

    private void requirePresent(Node node) {
        if (node.isRemoved() || node.graph() != editor.graph()) {
            throw EngineException.invalidGraph(node.describe() + " is not in " + editor.graph());
        }
    }

    private void inferTypes() {
        while (!retype.isEmpty()) {
            Node node = retype.remove();
            if (!node.isRemoved() && isTypedAlone(node)) {
                inferTypes(node);
            }
        }
    }

    /**
     * Whether a node's types are inferred at once. Those of a node with nested graphs depend on their contents, and
     * those of a node with very many inputs would be inferred again for each of them. Both are left to the inference of
     * the whole graph at the beginning of the next round.
     */
    private static boolean isTypedAlone(Node node) {
        return node.attributes().graphs().isEmpty() && node.inputs().size() <= MOST_INPUTS_TYPED_ALONE;
    }

    private void inferTypes(Node node) {
        List<@Nullable ValueType> types = TypeInference.outputs(node, Facts.ofGraph(node));
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output != null) {
                refine(output, types.get(i));
            }
        }
    }

    private void refine(Value value, @Nullable ValueType type) {
        String conflict = TypeAgreement.conflict(value.type(), type);
        if (conflict != null) {
            throw EngineException.invalidGraph("value '" + value.name() + "': " + conflict);
        }
        ValueType known = value.type();
        ValueType merged = known == null || type == null ? known == null ? type : known : known.meet(type);
        if (merged != null && !merged.equals(known)) {
            editor.setType(value, merged);
            retype.addAll(value.users());
        }
    }

    private void removeUnread() {
        while (!unread.isEmpty()) {
            Value value = unread.remove();
            Node producer = value.producer();
            if (value.isUsed()) {
                // Patterns match values that one node reads, or that are read in two or three places.
                if (value.users().size() <= MOST_READS_IN_PATTERNS) {
                    touched.addAll(value.users());
                }
            } else if (producer != null && !producer.isRemoved() && Effects.isRemovable(producer)) {
                remove(producer);
            } else if (value.isConstant()) {
                new GraphEditor(value.graph()).removeConstant(value);
            }
        }
    }

    private void remove(Node node) {
        forget(node);
        new GraphEditor(node.graph()).remove(node);
    }

    private void forget(Node node) {
        for (Value input : node.inputs()) {
            lostReader(input);
            if (input != null && input.producer() != null) {
                touched.add(input.producer());
            }
        }
        for (Graph nested : node.attributes().graphs()) {
            nested.nodes().forEach(this::forget);
            nested.outputs().forEach(this::lostReader);
        }
    }
}
