package dev.millrace.graph.ir;

import dev.millrace.graph.EngineException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Replaces calls of model-local functions by their bodies, also calls in bodies and in nested graphs. A body keeps its
 * own opsets and takes the attributes of its caller. The number of nodes that a small file may expand to is bounded.
 */
public final class FunctionInliner {
    private static final long MOST_NODES = 1_000_000;
    private static final int DEEPEST = 64;
    /** The number of inputs, outputs and attributes that take as much memory as a node. */
    private static final int PARTS_OF_A_NODE = 16;

    private final Map<Function.Id, Function> functions;
    private final ArrayDeque<Place> open = new ArrayDeque<>();
    private final Set<Node> expanded = new HashSet<>();
    private long copiedNodes;

    /** A graph whose calls are to be expanded, at a depth of nested graphs. */
    private record Place(Graph graph, int depth) {}

    private FunctionInliner(Map<Function.Id, Function> functions) {
        this.functions = functions;
    }

    /** Returns the model without functions; the given one is not changed. */
    public static Model inline(Model model) {
        if (model.functions().isEmpty()) {
            return model;
        }
        FunctionCalls.refuseCycles(model.functions());
        Graph graph = GraphCopier.copy(model.graph(), null);
        new FunctionInliner(model.functions()).expand(graph);
        return new Model(
                model.header(),
                model.opsets(),
                model.metadata(),
                Map.of(),
                graph,
                model.source(),
                model.notes(),
                model.mapped(),
                model.training());
    }

    private void expand(Graph main) {
        open.push(new Place(main, 1));
        while (!open.isEmpty()) {
            Place place = open.pop();
            if (place.depth > DEEPEST) {
                throw EngineException.invalidGraph(
                        "with its functions expanded, the model's graphs are nested deeper than " + DEEPEST
                                + " levels");
            }
            expandCallsOf(place);
        }
        GraphEditor.removeAll(expanded);
    }

    private void expandCallsOf(Place place) {
        var editor = new GraphEditor(place.graph);
        Node node = place.graph.firstNode();
        while (node != null) {
            if (expanded.contains(node)) {
                node = node.next();
                continue;
            }
            Function function = functions.get(new Function.Id(node.op(), node.overload()));
            if (function == null) {
                for (Graph nested : node.attributes().graphs()) {
                    open.push(new Place(nested, place.depth + 1));
                }
                node = node.next();
            } else {
                Node before = node.previous();
                expandCall(editor, node, function);
                node = before == null ? place.graph.firstNode() : before.next();
            }
        }
    }

    private void expandCall(GraphEditor editor, Node call, Function function) {
        Graph body = function.body();
        if (call.inputs().size() > body.inputs().size()
                || call.outputs().size() > body.outputs().size()) {
            throw EngineException.invalidGraph(
                    call.describe() + " has " + call.inputs().size() + " inputs and "
                            + call.outputs().size() + " outputs, but function "
                            + function.id().op() + " has " + body.inputs().size() + " and "
                            + body.outputs().size());
        }
        charge(call, body.inputs().size() + body.outputs().size());
        var inputs = new IdentityHashMap<Value, @Nullable Value>();
        for (int i = 0; i < body.inputs().size(); i++) {
            inputs.put(body.inputs().get(i), call.input(i));
        }
        List<@Nullable Value> made = GraphCopier.copyInto(body, editor, call, inputs, new BodyRewrite(call, function));
        handOver(editor, call, made);
        expanded.add(call);
    }

    /** Replaces the outputs of the call by the body's values, which take over the names, notes and declared types. */
    private static void handOver(GraphEditor editor, Node call, List<@Nullable Value> made) {
        var named = new HashSet<@Nullable Value>(call.inputs());
        for (int i = 0; i < call.outputs().size(); i++) {
            Value old = call.output(i);
            if (old == null || !old.isUsed()) {
                continue;
            }
            Value replacement = made.get(i);
            if (replacement == null) {
                throw EngineException.invalidGraph(
                        call.describe() + ": output " + i + " is an input of the function that the call omits");
            }
            if (named.add(replacement)) {
                editor.rename(replacement, old.name());
                editor.note(replacement, old.notes());
                if (old.declared() != null) {
                    editor.declare(replacement, old.declared());
                }
            }
            editor.replaceUses(old, replacement);
        }
    }

    private void charge(Node node, int parts) {
        copiedNodes += 1 + parts / PARTS_OF_A_NODE;
        if (copiedNodes > MOST_NODES) {
            throw EngineException.invalidGraph(
                    node.describe() + ": the functions of this model expand to more than " + MOST_NODES + " nodes");
        }
    }

    /** Adapts a body's nodes to one call: prefixes their names and resolves references to attributes. */
    private final class BodyRewrite implements GraphCopier.Rewrite {
        private final Node call;
        private final Function function;
        private final String prefix;

        BodyRewrite(Node call, Function function) {
            this.call = call;
            this.function = function;
            this.prefix = call.name().isEmpty() ? "" : call.name() + "/";
        }

        @Override
        public NodeSpec node(Node original, NodeSpec copy) {
            charge(
                    call,
                    original.inputs().size()
                            + original.outputs().size()
                            + original.attributes().names().size());
            NodeSpec named = copy.name().isEmpty() ? copy : copy.named(prefix + copy.name());
            return named.with(resolve(copy.attributes()));
        }

        private Attributes resolve(Attributes attributes) {
            if (attributes.asMap().values().stream().noneMatch(Attribute.Reference.class::isInstance)) {
                return attributes;
            }
            var resolved = new LinkedHashMap<String, Attribute>();
            var notes = new HashMap<String, AttributeNotes>();
            attributes.asMap().forEach((name, attribute) -> {
                boolean refers = attribute instanceof Attribute.Reference;
                String source = attribute instanceof Attribute.Reference(String wanted) ? wanted : name;
                Attributes holder = refers ? holder(source) : attributes;
                Attribute value = holder.find(source);
                if (value != null) {
                    resolved.put(name, value);
                    notes.put(name, holder.notes(source));
                }
            });
            return Attributes.of(resolved, notes);
        }

        /** Returns the attributes that hold {@code attribute}: the call's own, or else the function's defaults. */
        private Attributes holder(String attribute) {
            return call.attributes().has(attribute) ? call.attributes() : function.attributeDefaults();
        }

        /**
         * Removes symbolic extents: a symbol of the body is another extent in each call, so its name must not outlive
         * the body.
         */
        @Override
        public @Nullable ValueType type(@Nullable ValueType type) {
            return type == null ? null : withoutSymbols(type);
        }

        private static ValueType withoutSymbols(ValueType type) {
            return switch (type) {
                case ValueType.TensorType(var element, var shape) ->
                    new ValueType.TensorType(element, withoutSymbols(shape));
                case ValueType.SparseType(var element, var shape) ->
                    new ValueType.SparseType(element, withoutSymbols(shape));
                case ValueType.SequenceType(var element) -> new ValueType.SequenceType(withoutSymbols(element));
                case ValueType.OptionalType(var element) -> new ValueType.OptionalType(withoutSymbols(element));
                case ValueType.MapType(var key, var value) -> new ValueType.MapType(key, withoutSymbols(value));
            };
        }

        private static @Nullable SymbolicShape withoutSymbols(@Nullable SymbolicShape shape) {
            if (shape == null) {
                return null;
            }
            var dims = new ArrayList<Dim>(shape.rank());
            for (Dim dim : shape.dims()) {
                dims.add(dim.isKnown() ? dim : Dim.UNKNOWN);
            }
            return new SymbolicShape(dims);
        }
    }
}
