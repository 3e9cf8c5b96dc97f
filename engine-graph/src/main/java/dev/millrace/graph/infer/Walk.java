package dev.millrace.graph.infer;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.rule.ContentInference;
import dev.millrace.graph.infer.rule.ControlFlowInference;
import dev.millrace.graph.infer.rule.InferenceContext;
import dev.millrace.graph.infer.rule.KnownContent;
import dev.millrace.graph.infer.rule.NodeFacts;
import dev.millrace.graph.infer.rule.NodeInference;
import dev.millrace.graph.infer.rule.TypeLattice;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.CustomOperator;
import dev.millrace.graph.op.CustomOperators;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Infers a graph and those nested in it, node after node. The graph keeps its own types until {@link #commit}. */
final class Walk {
    private static final int DEEPEST = 64;

    private final Map<Value, ValueType> types = new LinkedHashMap<>();
    private final Map<Value, KnownContent> contents = new IdentityHashMap<>();
    private final Map<Value, Tensor> tensors = new IdentityHashMap<>();
    private final Set<Graph> inside = Collections.newSetFromMap(new IdentityHashMap<>());
    private final @Nullable Facts around;
    private final boolean checksTypes;
    private final CustomOperators custom;
    /** Whether the run decides the element type of an input. Declared element types of other values may be wrong then. */
    private boolean hasOpenInput;

    private boolean foundMore;

    private Walk(@Nullable Facts around, boolean checksTypes, CustomOperators custom) {
        this.around = around;
        this.checksTypes = checksTypes;
        this.custom = custom;
    }

    /** A walk over a main graph and those nested in it, whose nodes are held against the operators' schemas if wanted. */
    static Walk ofModel(boolean checksTypes, CustomOperators custom) {
        return new Walk(null, checksTypes, custom);
    }

    /** One node's inputs as this walk knows them. */
    private final class InputFacts implements NodeFacts {
        private final Node node;

        InputFacts(Node node) {
            this.node = node;
        }

        @Override
        public @Nullable ValueType type(int input) {
            Value value = node.input(input);
            return value == null ? null : Walk.this.type(value);
        }

        @Override
        public @Nullable Tensor value(int input) {
            Value value = node.input(input);
            if (value == null) {
                return null;
            }
            Tensor known = value.isConstant() ? value.constant() : tensors.get(value);
            return known == null && around != null && isOutside(value) ? around.value(value) : known;
        }

        @Override
        public @Nullable KnownContent content(int input) {
            Value value = node.input(input);
            return value == null ? null : contents.get(value);
        }

        @Override
        public List<@Nullable ValueType> body(Graph body, List<@Nullable ValueType> inputTypes, int depth) {
            return Walk.this.body(body, inputTypes, depth);
        }
    }

    /** A walk over graphs nested in a node, which asks {@code facts} for what they capture. */
    static Walk ofNested(Facts facts) {
        return new Walk(facts, false, CustomOperators.NONE);
    }

    private @Nullable ValueType type(Value value) {
        ValueType known = types.get(value);
        if (known != null) {
            return known;
        }
        return around != null && isOutside(value) ? around.type(value) : value.type();
    }

    private boolean isOutside(Value value) {
        return !inside.contains(value.graph());
    }

    /** Infers a model's main graph. */
    void main(Graph graph) {
        for (Value input : graph.inputs()) {
            checkDefault(graph, input);
            hasOpenInput |= isOpen(input.type());
            // Of inputs that are no tensors a run checks what they hold, but no shapes.
            ValueType checked =
                    input.type() instanceof ValueType.TensorType ? null : TypeLattice.withoutShape(input.type());
            if (checked != null) {
                types.put(input, checked);
            }
        }
        graph(graph, 0);
    }

    private static void checkDefault(Graph graph, Value input) {
        Tensor otherwise = graph.defaultOf(input);
        ValueType declared = input.type();
        if (otherwise != null && declared != null) {
            ValueType actual = ValueType.tensor(otherwise.type(), otherwise.shape());
            if (actual.meet(declared) == null) {
                throw EngineException.invalidGraph("input '" + input.name() + "' is declared as " + declared
                        + ", but its initializer is " + actual);
            }
        }
    }

    void graph(Graph graph, int depth) {
        inside.add(graph);
        for (Node node : graph.nodes()) {
            CustomOperator added = custom.of(node);
            var facts = new InputFacts(node);
            InferenceContext context = added == null
                    ? NodeInference.infer(node, facts, depth, checksTypes)
                    : NodeInference.infer(node, facts, added);
            for (int i = 0; i < node.outputs().size(); i++) {
                Value value = node.output(i);
                if (value != null) {
                    learn(value, context.output(i));
                }
            }
            follow(node, context);
        }
    }

    /** Takes note of what {@code value} is. What is known of it already is as true as what is inferred now. */
    private void learn(Value value, @Nullable ValueType inferred) {
        ValueType known = value.type();
        ValueType both = inferred == null || known == null ? inferred == null ? known : inferred : inferred.meet(known);
        if (both == null && inferred != null) {
            throw EngineException.invalidGraph(
                    place(value) + " is inferred to be " + inferred + ", but is known to be " + known);
        }
        ValueType type = hasOpenInput ? both : withDeclaredElements(both, value.declared());
        if (type == null) {
            types.remove(value);
        } else {
            types.put(value, type);
        }
    }

    private static String place(Value value) {
        Node node = value.producer();
        return (node == null ? "input of " + value.graph() : node.describe()) + ": '" + value.name() + "'";
    }

    private static boolean isOpen(@Nullable ValueType type) {
        return type == null || type instanceof ValueType.TensorType tensor && tensor.element() == null;
    }

    /** Which elements a value has is taken from the model where nothing else tells; shapes never are. */
    private static @Nullable ValueType withDeclaredElements(@Nullable ValueType known, @Nullable ValueType declared) {
        ValueType elements = isOpen(known) ? TypeLattice.withoutShape(declared) : null;
        if (elements == null) {
            return known;
        }
        ValueType both = known == null ? elements : known.meet(elements);
        return both == null ? known : both;
    }

    private void follow(Node node, InferenceContext context) {
        String taken = node.is(OpName.IF) ? ControlFlowInference.taken(context) : null;
        for (int i = 0; i < node.outputs().size(); i++) {
            Value value = node.output(i);
            if (value == null) {
                continue;
            }
            KnownContent content = taken == null
                    ? ContentInference.of(context, i)
                    : content(node.attributes().graph(taken).outputs().get(i));
            if (content == null) {
                contents.remove(value);
            } else {
                contents.put(value, content);
            }
            if (node.is(OpName.CONSTANT)
                    && node.attributes().find("value") instanceof Attribute.TensorValue(Tensor tensor)) {
                tensors.put(value, tensor);
            }
        }
    }

    private @Nullable KnownContent content(Value value) {
        return value.isConstant() ? KnownContent.of(value.constant()) : contents.get(value);
    }

    /** Infers {@code body} whose inputs are {@code inputTypes}, and returns what its outputs are. */
    List<@Nullable ValueType> body(Graph body, List<@Nullable ValueType> inputTypes, int depth) {
        if (depth >= DEEPEST) {
            throw EngineException.invalidGraph("graphs are nested deeper than " + DEEPEST);
        }
        for (int i = 0; i < inputTypes.size() && i < body.inputs().size(); i++) {
            learn(body.inputs().get(i), inputTypes.get(i));
        }
        graph(body, depth + 1);
        List<@Nullable ValueType> results = new ArrayList<>();
        for (Value output : body.outputs()) {
            results.add(type(output));
        }
        return results;
    }

    /** Whether the last {@link #commit} changed a type. */
    boolean foundMore() {
        return foundMore;
    }

    /** Writes what was learnt into the graphs; returns what the model declares otherwise, and forgets that. */
    List<String> commit() {
        var wrong = new ArrayList<String>();
        types.forEach((value, type) -> {
            var editor = new GraphEditor(value.graph());
            if (!type.equals(value.type())) {
                editor.setType(value, type);
                foundMore = true;
            }
            ValueType declared = value.declared();
            if (declared != null && type.meet(declared) == null) {
                wrong.add(place(value) + " is declared as " + declared + ", but is " + type);
                editor.declare(value, null);
            }
        });
        return wrong;
    }
}
