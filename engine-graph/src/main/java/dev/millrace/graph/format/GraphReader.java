package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.AttributeNotes;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.ir.TopologicalOrder;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds graphs from messages of a file, with names resolved and nodes in topological order. */
final class GraphReader {
    private final TensorReader tensors;
    private final SparseReader sparse;
    private final AttributeReader attributes;

    GraphReader(ExternalData external) {
        this.tensors = new TensorReader(external);
        this.sparse = new SparseReader(tensors);
        this.attributes = new AttributeReader(tensors, sparse);
    }

    /** Reads the main graph in {@code in}. */
    Graph read(WireReader in, Dialect dialect) {
        return new Builder(GraphParts.ofGraph(in), null, dialect, false).build();
    }

    /** Builds the body of a function. */
    Graph read(GraphParts function, Dialect dialect) {
        return new Builder(function, null, dialect, false).build();
    }

    /** Reads the default of an attribute of a function; attributes that hold graphs have no default. */
    AttributeReader.Named readDefault(WireReader in) {
        return attributes.read(in, false, graph -> {
            throw EngineException.notImplemented("graphs as defaults of attributes are not read");
        });
    }

    private final class Builder {
        private final GraphParts parts;
        private final Dialect dialect;
        private final @Nullable Scope around;
        private final boolean isBranch;
        private final Scope scope;
        private final Graph graph;
        private final GraphEditor editor;
        private final Map<String, Remarks> remarksOfInitializers = new HashMap<>();

        /** @param isBranch whether the graph is one of an If, which gives its branches no values */
        Builder(GraphParts parts, @Nullable Scope around, Dialect dialect, boolean isBranch) {
            this.parts = parts;
            this.dialect = dialect;
            this.around = around;
            this.isBranch = isBranch;
            this.scope = new Scope(parts.name, around);
            this.graph = scope.graph();
            this.editor = new GraphEditor(graph);
        }

        Graph build() {
            editor.document(parts.documentation);
            parts.metadata.forEach(editor::metadata);
            Map<String, Tensor> initializers = readInitializers();
            for (GraphParts.Declared input : parts.inputs) {
                addInput(input, initializers);
            }
            initializers.forEach((name, tensor) -> scope.define(name, editor.addConstant(name, tensor)));
            var outputs = new ArrayList<@Nullable Value[]>(parts.nodes.size());
            for (NodeParts node : parts.nodes) {
                outputs.add(defineOutputs(node));
            }
            preferTypesOfOutputs();
            for (int i = 0; i < parts.nodes.size(); i++) {
                NodeParts node = parts.nodes.get(i);
                try {
                    editor.insert(spec(node), null, outputs.get(i));
                } catch (EngineException e) {
                    throw e.at(node.describe());
                }
            }
            addOutputs();
            new NoteReader(parts, scope, remarksOfInitializers).read(editor);
            if (scope.readsAhead()) {
                TopologicalOrder.restore(graph);
            }
            return graph;
        }

        private Map<String, Tensor> readInitializers() {
            var initializers = new LinkedHashMap<String, Tensor>();
            parts.initializers.forEach(in -> addInitializer(initializers, tensors.read(in)));
            parts.sparseInitializers.forEach(in -> addInitializer(initializers, sparse.readDense(in)));
            return initializers;
        }

        private void addInitializer(Map<String, Tensor> initializers, TensorReader.Named named) {
            if (named.name().isEmpty()) {
                throw EngineException.invalidGraph("an initializer of " + graph + " has no name");
            }
            if (initializers.put(named.name(), named.tensor()) != null) {
                throw EngineException.invalidGraph(
                        "initializer '" + named.name() + "' stands twice in graph '" + parts.name + "'");
            }
            if (!named.remarks().isEmpty()) {
                remarksOfInitializers.put(named.name(), named.remarks());
            }
        }

        private void addInput(GraphParts.Declared input, Map<String, Tensor> initializers) {
            if (input.name().isEmpty()) {
                throw EngineException.invalidGraph("an input of graph '" + parts.name + "' has no name");
            }
            if (initializers.containsKey(input.name()) && dialect.inputsWithInitializerAreConstants()) {
                return;
            }
            if (isBranch) {
                dialect.notes().add(insteadOfInput(input.name(), initializers));
                return;
            }
            ValueType declared = dense(input.type() == null ? parts.types.get(input.name()) : input.type());
            // The declared types of a main graph's inputs bind its callers; a nested graph receives the values of its
            // node.
            ValueType type = graph.parent() == null ? declared : null;
            Tensor otherwise = initializers.remove(input.name());
            Value value = otherwise == null
                    ? editor.addInput(input.name(), type)
                    : editor.addInput(input.name(), type, otherwise);
            editor.declare(value, declared);
            scope.define(input.name(), value);
        }

        /** Returns a note that says which value takes the place of an input that an If does not give its branch. */
        private String insteadOfInput(String name, Map<String, Tensor> initializers) {
            String input =
                    "branch '" + parts.name + "' of an If has an input '" + name + "', which an If does not give";
            if (initializers.containsKey(name)) {
                return input + "; its initializer counts";
            }
            if (around != null && around.find(name) != null) {
                return input + "; the value of that name around the branch counts";
            }
            throw EngineException.invalidGraph(
                    input + "; it has no initializer, and there is no value of that name around the branch");
        }

        /**
         * Returns the dense type for a sparse one: sparse inputs are passed as dense tensors, as sparse constants are
         * read.
         */
        private static @Nullable ValueType dense(@Nullable ValueType type) {
            return type instanceof ValueType.SparseType(var element, var shape)
                    ? ValueType.tensor(element, shape)
                    : type;
        }

        private @Nullable Value[] defineOutputs(NodeParts node) {
            @Nullable Value[] values = new Value[node.outputs.size()];
            for (int i = 0; i < values.length; i++) {
                String name = node.outputs.get(i);
                if (!name.isEmpty()) {
                    Value value = editor.value(name, null);
                    editor.declare(value, parts.types.get(name));
                    scope.defineNodeOutput(name, value);
                    values[i] = value;
                }
            }
            return values;
        }

        /**
         * Declares the types of the graph's outputs, which users rely on, over other declarations of the same values.
         */
        private void preferTypesOfOutputs() {
            for (GraphParts.Declared output : parts.outputs) {
                Value value = scope.own(output.name());
                if (value != null && output.type() != null && scope.isNodeOutput(value)) {
                    editor.declare(value, output.type());
                }
            }
        }

        private NodeSpec spec(NodeParts node) {
            if (node.operator.isEmpty()) {
                throw EngineException.invalidGraph("a node of graph '" + parts.name + "' names no operator");
            }
            OpId op = dialect.operator(node.domain, node.operator);
            int opset = dialect.opset(node.domain, op);
            var inputs = new ArrayList<@Nullable Value>(node.inputs.size());
            for (String input : node.inputs) {
                inputs.add(input.isEmpty() ? null : resolve(input));
            }
            return new NodeSpec(
                    op, opset, node.name, node.overload, inputs, readAttributes(op, node.attributes), node.remarks());
        }

        private Value resolve(String name) {
            Value value = scope.find(name);
            if (value == null) {
                throw EngineException.invalidGraph("it reads '" + name + "', which is no input, no initializer and no"
                        + " output of a node, here or in a graph around");
            }
            return value;
        }

        private Attributes readAttributes(OpId op, List<WireReader> messages) {
            if (messages.isEmpty()) {
                return Attributes.NONE;
            }
            var byName = new LinkedHashMap<String, Attribute>();
            var notes = new HashMap<String, AttributeNotes>(0);
            boolean isIf = op.isOnnx(OpName.IF);
            for (WireReader message : messages) {
                AttributeReader.Named named = attributes.read(
                        message,
                        dialect.inFunction(),
                        in -> new Builder(GraphParts.ofGraph(in), scope, dialect, isIf).build());
                if (byName.put(named.name(), named.attribute()) != null) {
                    throw EngineException.invalidGraph("attribute '" + named.name() + "' stands twice");
                }
                named.noteIn(notes);
            }
            return Attributes.of(byName, notes);
        }

        private void addOutputs() {
            for (GraphParts.Declared output : parts.outputs) {
                Value value = scope.find(output.name());
                if (value == null) {
                    throw EngineException.invalidGraph("output '" + output.name() + "' of graph '" + parts.name
                            + "' is produced by nothing in it");
                }
                editor.addOutput(output.name(), value);
            }
        }
    }
}
