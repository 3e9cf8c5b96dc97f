package dev.millrace.providers.simd.lower;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.OutputTypes;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The facts about a partition that is bound: the shapes of all values, the contents of those that follow from shapes
 * and constants alone, and the nodes that are left to run.
 */
final class BindingFacts {
    /** The most nodes between an input and a content that follows from it. */
    private static final int MOST_STEPS = 64;
    /** The most intermediate values of a node: the distance between the order numbers of two values. */
    private static final long PARTS = 1 << 10;

    private final Graph graph;
    private Inputs inputs;
    private final CompileEnvironment environment;
    private final Map<Value, ValueState> cells = new IdentityHashMap<>();
    private final List<Node> left = new ArrayList<>();

    /** The facts about the inputs of a partition. */
    interface Inputs {
        ElementType type(int input);

        Shape shape(int input);

        /** The content of an input that is the same in every run; null for others. */
        @Nullable
        Tensor known(int input);

        /** The content of an input, which the binding comes to depend on; null where it is not there yet. */
        @Nullable
        Tensor content(int input);
    }

    BindingFacts(Graph graph, Inputs inputs, CompileEnvironment environment) {
        this.graph = graph;
        this.inputs = inputs;
        this.environment = environment;
        for (int i = 0; i < graph.inputs().size(); i++) {
            Value input = graph.inputs().get(i);
            cells.put(input, cell(input, inputs.type(i), inputs.shape(i), inputs.known(i)));
        }
        var all = new ArrayList<Node>();
        walk(graph, all);
        dropUnread(all);
    }

    /**
     * Continues with the inputs of a binding. They have the same types and shapes, and no content has been asked for.
     */
    void goOn(Inputs ofBinding) {
        inputs = ofBinding;
    }

    private void walk(Graph part, List<Node> all) {
        for (Node node : part.nodes()) {
            if (node.is(OpName.IF)) {
                take(node, all);
            } else if (!walk(node)) {
                all.add(node);
            }
        }
    }

    /** Walks the branch that an If takes. Its results become those of the If. */
    private void take(Node node, List<Node> all) {
        Graph branch = node.attributes().graph(condition(node) ? "then_branch" : "else_branch");
        walk(branch, all);
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output != null) {
                cells.put(output, cell(branch.outputs().get(i)));
            }
        }
    }

    private boolean condition(Node node) {
        Tensor content = content(node.requireInput(0), MOST_STEPS);
        if (content == null) {
            throw new NotInProgram(node, "its condition is only known in a run");
        }
        return content.booleans()[0];
    }

    /** The content of a value, which the binding comes to depend on; null where only a run computes it. */
    @Nullable
    Tensor content(Value value) {
        return content(value, MOST_STEPS);
    }

    private @Nullable Tensor content(Value value, int steps) {
        ValueState cell = cell(value);
        if (cell.isKnown() || steps == 0 || cell.type().bytes(cell.elements()) > OutputTypes.MOST_FOLDED_BYTES) {
            return cell.known();
        }
        int input = graph.inputs().indexOf(value);
        Node producer = value.producer();
        if (input >= 0 || producer == null) {
            return input < 0 ? null : inputs.content(input);
        }
        if (!producer.attributes().graphs().isEmpty()) {
            return null;
        }
        var constants = new IdentityHashMap<Value, Tensor>();
        for (Value operand : producer.inputs()) {
            if (operand != null) {
                Tensor tensor = content(operand, steps - 1);
                if (tensor == null) {
                    return null;
                }
                constants.put(operand, tensor);
            }
        }
        Folding folding = Folding.of(producer, environment, constants::get);
        if (folding == null) {
            return null;
        }
        for (int i = 0; i < producer.outputs().size(); i++) {
            Value output = producer.output(i);
            if (output != null) {
                Tensor tensor = folding.result(i);
                cells.put(output, cell(output, tensor.type(), tensor.shape(), tensor));
            }
        }
        return cell(value).known();
    }

    /** The nodes that are left to run, in their order. */
    List<Node> nodes() {
        return left;
    }

    ValueState cell(Value value) {
        ValueState cell = cells.get(value);
        if (cell == null) {
            Tensor constant = value.constant();
            if (constant == null) {
                throw EngineException.invalidGraph("'" + value.name() + "' has no value");
            }
            cell = cell(value, constant.type(), constant.shape(), constant);
            cells.put(value, cell);
        }
        return cell;
    }

    private ValueState cell(Value value, ElementType type, Shape shape, @Nullable Tensor known) {
        return new ValueState(value, order(), type, shape, known);
    }

    /** The order number of the cell that is created next. */
    private long order() {
        return (cells.size() + 1) * PARTS;
    }

    /** Infers the types of a node's outputs. Returns whether their contents are known. */
    private boolean walk(Node node) {
        List<@Nullable ValueType> types = outputs(node);
        if (isKnown(node) && OutputTypes.bytes(node, types) <= OutputTypes.MOST_FOLDED_BYTES && fold(node, types)) {
            return true;
        }
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output != null) {
                cells.put(
                        output, cell(output, OutputTypes.element(types.get(i)), OutputTypes.shape(types.get(i)), null));
            }
        }
        return false;
    }

    private List<@Nullable ValueType> outputs(Node node) {
        List<@Nullable ValueType> types = TypeInference.outputsOfRun(node, new NodeFacts(node, false));
        if (!OutputTypes.areConcrete(node, types)) {
            types = TypeInference.outputsOfRun(node, new NodeFacts(node, true));
        }
        if (!OutputTypes.areConcrete(node, types)) {
            throw new NotInProgram(node, "the shape of its output does not follow from its inputs");
        }
        return types;
    }

    private boolean isKnown(Node node) {
        if (node.op().isOnnx(OpName.SHAPE) || node.op().isOnnx(OpName.SIZE)) {
            return true;
        }
        for (Value input : node.inputs()) {
            if (input != null && !cell(input).isReadable()) {
                return false;
            }
        }
        return true;
    }

    /**
     * Creates cells for outputs whose contents follow from known ones. The contents are computed when they are first
     * asked for: a consumer of quantised weights never asks for them as floats.
     */
    private boolean fold(Node node, List<@Nullable ValueType> types) {
        if (node.op().isOnnx(OpName.SHAPE) || node.op().isOnnx(OpName.SIZE)) {
            return foldShape(node);
        }
        Folding folding = Folding.of(node, environment, input -> cell(input).known());
        if (folding == null) {
            return false;
        }
        for (int i = 0; i < node.outputs().size(); i++) {
            Value output = node.output(i);
            if (output != null) {
                int index = i;
                ElementType type = OutputTypes.element(types.get(i));
                cells.put(
                        output,
                        new ValueState(
                                output, order(), type, OutputTypes.shape(types.get(i)), () -> folding.result(index)));
            }
        }
        return true;
    }

    private boolean foldShape(Node node) {
        Shape shape = cell(node.requireInput(0)).shape();
        Value output = node.requireOutput(0);
        Tensor tensor;
        if (node.op().isOnnx(OpName.SIZE)) {
            tensor = Tensor.scalar(shape.elements());
        } else {
            int rank = shape.rank();
            int start = bound(node.attributes().integer("start", 0), rank);
            int end = bound(node.attributes().integer("end", rank), rank);
            long[] dims = new long[Math.max(0, end - start)];
            for (int i = 0; i < dims.length; i++) {
                dims[i] = shape.dim(start + i);
            }
            tensor = Tensor.copyOf(dims, dims.length);
        }
        cells.put(output, cell(output, tensor.type(), tensor.shape(), tensor));
        return true;
    }

    private static int bound(long index, int rank) {
        return (int) Math.clamp(index < 0 ? index + rank : index, 0, rank);
    }

    /** Keeps the nodes that an output of the partition needs, and counts the readers of each value. */
    private void dropUnread(List<Node> all) {
        for (Value output : graph.outputs()) {
            cell(output).readers++;
        }
        for (Node node : all.reversed()) {
            boolean read = false;
            for (Value output : node.outputs()) {
                read |= output != null
                        && cell(output).readers > 0
                        && !cell(output).isKnown();
            }
            if (read) {
                left.addFirst(node);
                for (Value input : node.inputs()) {
                    if (input != null) {
                        cell(input).readers++;
                    }
                }
            }
        }
    }

    /** The facts about a node's inputs that inference sees. */
    private final class NodeFacts implements Facts {
        private final Node node;
        private final boolean withContents;

        NodeFacts(Node node, boolean withContents) {
            this.node = node;
            this.withContents = withContents;
        }

        @Override
        public @Nullable ValueType type(int input) {
            Value value = node.input(input);
            if (value == null) {
                return null;
            }
            ValueState cell = cell(value);
            return ValueType.tensor(cell.type(), cell.shape());
        }

        @Override
        public @Nullable Tensor value(int input) {
            Value value = node.input(input);
            if (value == null) {
                return null;
            }
            return withContents ? content(value, MOST_STEPS) : cell(value).known();
        }
    }
}
