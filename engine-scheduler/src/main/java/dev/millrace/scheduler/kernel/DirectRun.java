package dev.millrace.scheduler.kernel;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs one kernel once on data at hand, on this thread, without a plan: for folding constants, for values that follow
 * from shapes alone, and for tests of kernels. Nested graphs are run by its caller.
 */
public final class DirectRun {
    private final Node node;
    private final List<@Nullable Datum> inputs;
    private final @Nullable Datum[] outputs;
    private final Scratch scratch;
    private final Consumer<Tensor> allocated;
    private final Nested nested;

    private DirectRun(
            Node node,
            List<? extends @Nullable Datum> inputs,
            Scratch scratch,
            Consumer<Tensor> allocated,
            Nested nested) {
        this.node = node;
        this.inputs = new ArrayList<>(inputs);
        this.outputs = new Datum[node.outputs().size()];
        this.scratch = scratch;
        this.allocated = allocated;
        this.nested = nested;
    }

    /** Runs the nested graphs of a node. */
    @FunctionalInterface
    public interface Nested {
        List<Datum> run(Graph graph, List<Datum> inputs);
    }

    /** The outputs of {@code kernel} for these inputs; null stands for an omitted one on either side. */
    public static List<@Nullable Datum> run(Kernel kernel, Node node, List<? extends @Nullable Datum> inputs) {
        return run(kernel, node, inputs, new Scratch());
    }

    /** Returns the outputs of {@code kernel}, whose nested graphs {@code nested} runs. */
    public static List<@Nullable Datum> run(
            Kernel kernel, Node node, List<? extends @Nullable Datum> inputs, Nested nested) {
        return new DirectRun(node, inputs, new Scratch(), _ -> {}, nested).run(kernel);
    }

    public static List<@Nullable Datum> run(
            Kernel kernel, Node node, List<? extends @Nullable Datum> inputs, Scratch scratch) {
        return run(kernel, node, inputs, scratch, _ -> {});
    }

    /** @param allocated hears of those outputs whose memory is theirs alone */
    public static List<@Nullable Datum> run(
            Kernel kernel,
            Node node,
            List<? extends @Nullable Datum> inputs,
            Scratch scratch,
            Consumer<Tensor> allocated) {
        Nested none = (_, _) -> {
            throw EngineException.notImplemented(node.describe() + ": nested graphs need a plan to run in");
        };
        return new DirectRun(node, inputs, scratch, allocated, none).run(kernel);
    }

    private List<@Nullable Datum> run(Kernel kernel) {
        if (kernel instanceof ShapedKernel shaped) {
            shaped(shaped);
        } else if (kernel instanceof DynamicKernel dynamic) {
            dynamic.runChecked(new Dynamic());
        }
        return Arrays.asList(outputs);
    }

    private void shaped(ShapedKernel kernel) {
        InferredKernel inferred = kernel.infer(node, new Known());
        List<@Nullable ValueType> types = inferred.outputs();
        var bind = new Bind(types);
        Launch launch = makesElements(types) ? inferred.bind(bind) : Launch.none();
        for (int i = 0; i < outputs.length; i++) {
            if (node.output(i) == null || outputs[i] != null) {
                continue;
            }
            ValueType.TensorType type = tensorType(types, i);
            Tensor output = Tensor.allocate(
                    Objects.requireNonNull(type.element()), Objects.requireNonNull(type.concreteShape()));
            outputs[i] = output;
            allocated.accept(output);
        }
        if (launch != Launch.none()) {
            launch.run(new Serial(bind.workspace));
        }
    }

    private boolean makesElements(List<@Nullable ValueType> types) {
        for (int i = 0; i < outputs.length; i++) {
            if (node.output(i) != null
                    && Objects.requireNonNull(tensorType(types, i).concreteShape())
                                    .elements()
                            > 0) {
                return true;
            }
        }
        return false;
    }

    private ValueType.TensorType tensorType(List<@Nullable ValueType> types, int index) {
        if (index < types.size()
                && types.get(index) instanceof ValueType.TensorType type
                && type.element() != null
                && type.concreteShape() != null) {
            return type;
        }
        throw EngineException.notImplemented(
                node.describe() + ": the shape of output " + index + " does not follow from these inputs");
    }

    private Datum datum(int index) {
        Datum datum = index < inputs.size() ? inputs.get(index) : null;
        if (datum == null) {
            throw EngineException.invalidGraph(node.describe() + ": input " + index + " is missing");
        }
        return datum;
    }

    private Tensor tensor(int index) {
        if (datum(index) instanceof Tensor tensor) {
            return tensor;
        }
        throw EngineException.invalidGraph(node.describe() + ": input " + index + " is no tensor");
    }

    private Tensor outputTensor(int index) {
        return (Tensor) Objects.requireNonNull(outputs[index]);
    }

    private final class Known implements Facts {
        @Override
        public @Nullable ValueType type(int input) {
            return value(input) instanceof Tensor tensor ? ValueType.tensor(tensor.type(), tensor.shape()) : null;
        }

        @Override
        public @Nullable Tensor value(int input) {
            return input < inputs.size() && inputs.get(input) instanceof Tensor tensor ? tensor : null;
        }
    }

    private final class Bind implements BindContext {
        private final List<@Nullable ValueType> types;
        private long workspace;

        Bind(List<@Nullable ValueType> types) {
            this.types = types;
        }

        @Override
        public Node node() {
            return node;
        }

        @Override
        public int inputCount() {
            return inputs.size();
        }

        @Override
        public boolean hasInput(int index) {
            return index < inputs.size() && inputs.get(index) != null;
        }

        @Override
        public ElementType inputType(int index) {
            return tensor(index).type();
        }

        @Override
        public Shape inputShape(int index) {
            return tensor(index).shape();
        }

        @Override
        public Tensor constantInput(int index) {
            return tensor(index);
        }

        @Override
        public Tensor requireValue(int index) {
            return tensor(index);
        }

        @Override
        public int outputCount() {
            return outputs.length;
        }

        @Override
        public boolean hasOutput(int index) {
            return node.output(index) != null;
        }

        @Override
        public ElementType outputType(int index) {
            return Objects.requireNonNull(tensorType(types, index).element());
        }

        @Override
        public Shape outputShape(int index) {
            return Objects.requireNonNull(tensorType(types, index).concreteShape());
        }

        @Override
        public void alias(int output, int input) {
            if (hasOutput(output)) {
                outputs[output] = Tensor.copyOf(tensor(input)).reshaped(outputShape(output));
            }
        }

        @Override
        public void mayReuse(int output, int input) {
            // every output has memory of its own here
        }

        @Override
        public void fold(int output, Tensor value) {
            outputs[output] = value;
        }

        @Override
        public void workspace(long bytes) {
            workspace = Math.max(workspace, bytes);
        }

        @Override
        public int parallelism() {
            return 1;
        }
    }

    private final class Serial implements LaunchContext {
        private final MemorySegment workspace;

        Serial(long workspaceBytes) {
            this.workspace = workspaceBytes == 0 ? MemorySegment.NULL : OwnMemory.allocate(workspaceBytes, 64);
        }

        @Override
        public MemorySegment input(int index) {
            return tensor(index).segment();
        }

        @Override
        public MemorySegment output(int index) {
            return outputTensor(index).segment();
        }

        @Override
        public String[] inputStrings(int index) {
            return tensor(index).strings();
        }

        @Override
        public String[] outputStrings(int index) {
            return outputTensor(index).strings();
        }

        @Override
        public MemorySegment workspace() {
            return workspace;
        }

        @Override
        public void parallelFor(long items, long grain, RangeTask task) {
            if (items > 0) {
                task.run(this, 0, items, scratch);
            }
        }

        @Override
        public Scratch scratch() {
            return scratch;
        }

        @Override
        public void checkCancelled() {
            // nobody can cancel what has no run
        }
    }

    private final class Dynamic implements DynamicContext {
        @Override
        public Node node() {
            return node;
        }

        @Override
        public int inputCount() {
            return inputs.size();
        }

        @Override
        public @Nullable Datum input(int index) {
            return index < inputs.size() ? inputs.get(index) : null;
        }

        @Override
        public Tensor tensor(int index) {
            return DirectRun.this.tensor(index);
        }

        @Override
        public int outputCount() {
            return outputs.length;
        }

        @Override
        public boolean hasOutput(int index) {
            return node.output(index) != null;
        }

        @Override
        public void output(int index, Datum value) {
            if (hasOutput(index)) {
                outputs[index] = value;
            }
        }

        @Override
        public List<Datum> runNested(String attribute, List<Datum> values) {
            return nested.run(node.attributes().graph(attribute), values);
        }

        @Override
        public void checkCancelled() {
            // nobody can cancel what has no run
        }
    }
}
