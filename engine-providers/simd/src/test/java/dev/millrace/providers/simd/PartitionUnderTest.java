package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.Partition;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A graph that is one partition: built, compiled, kept, resolved and run. */
final class PartitionUnderTest {
    final Graph graph = Graph.named("part");
    final GraphEditor editor = new GraphEditor(graph);
    final Random random;

    PartitionUnderTest(long seed) {
        random = new Random(seed);
    }

    Value input(long... dims) {
        return editor.addInput("x" + graph.inputs().size(), ValueType.tensor(ElementType.FLOAT, Shape.of(dims)));
    }

    Value constant(long... dims) {
        return editor.addConstant("c" + graph.constants().size(), randomTensor(Shape.of(dims)));
    }

    Value constant(float value) {
        return editor.addConstant("c" + graph.constants().size(), Tensor.scalar(value));
    }

    Tensor randomTensor(Shape shape) {
        float[] values = new float[(int) shape.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = (float) random.nextGaussian();
        }
        return Tensor.copyOf(values, shape.toArray());
    }

    /** Adds a node of ONNX's domain whose output has the shape that its inputs broadcast to. */
    Value op(String name, Value... inputs) {
        return op(OpId.onnx(name), Attributes.NONE, inputs);
    }

    Value op(OpId op, Attributes attributes, @Nullable Value... inputs) {
        var spec = new NodeSpec(op, 20, "", "", Arrays.asList(inputs), attributes);
        Node node = editor.append(spec, List.of("v" + graph.nodeCount()));
        Value output = node.requireOutput(0);
        editor.setType(output, ValueType.tensor(ElementType.FLOAT, Reference.shape(node)));
        return output;
    }

    void output(Value value) {
        editor.addOutput(value.name(), value);
    }

    /** The node that stands for the whole graph, as a graph around it would have it. */
    static Node fused(Graph graph, OpId op, Attributes attributes) {
        var editor = new GraphEditor(Graph.named("model"));
        Value[] inputs = graph.inputs().stream()
                .map(input -> editor.addInput(input.name(), input.type()))
                .toArray(Value[]::new);
        NodeSpec spec = NodeSpec.of(op, 1, inputs).named("fused").with(attributes);
        Node node = editor.append(spec, new ArrayList<>(graph.outputNames()));
        for (int i = 0; i < node.outputs().size(); i++) {
            editor.addOutput(graph.outputNames().get(i), node.requireOutput(i));
        }
        return node;
    }

    Partition partition() {
        return new Partition("part", graph, fused(graph, new OpId(OpId.MILLRACE, "Fused"), Attributes.NONE));
    }

    SimdKernel compile() {
        return compile(null);
    }

    SimdKernel compile(@Nullable Kept kept) {
        return (SimdKernel)
                provider().compile(List.of(partition()), context(kept)).getFirst();
    }

    static SimdProvider provider() {
        return new SimdProvider(new PanelProduct());
    }

    /** Compiles the EPContext node that stands for what was kept. */
    SimdKernel resolve(Kept kept) {
        var attributes = Attributes.of(EpContext.SOURCE, Attribute.of("simd"));
        return resolve(kept, fused(graph, EpContext.OP, attributes));
    }

    static SimdKernel resolve(Kept kept, Node node) {
        Partition partition = new Partition("part", node.graph(), node);
        List<Kernel> kernels = provider().compile(List.of(partition), context(kept));
        return (SimdKernel) kernels.getFirst();
    }

    List<Tensor> randomInputs() {
        return graph.inputs().stream()
                .map(input -> randomTensor(Reference.shapeOf(input)))
                .toList();
    }

    List<float[]> run(SimdKernel kernel, List<Tensor> inputs) {
        return DirectRun.run(kernel, partition().fused(), inputs).stream()
                .map(output -> ((Tensor) Objects.requireNonNull(output)).floats())
                .toList();
    }

    /** A context that keeps into {@code kept}, or resolves to it. */
    static CompileContext context(@Nullable Kept kept) {
        return new CompileContext() {
            @Override
            public @Nullable ContextSink sink() {
                return kept == null || kept.plan.length > 0 ? null : kept;
            }

            @Override
            public CompiledGraph resolve(Node epContextNode) {
                return Objects.requireNonNull(kept);
            }

            @Override
            public void checkCancelled() {}
        };
    }

    /** What was written for one partition. */
    static final class Kept implements ContextSink, CompiledGraph {
        byte[] plan = {};
        int[] numbers = {};
        final List<MemorySegment> segments = new ArrayList<>();

        @Override
        public int segment(MemorySegment data) {
            segments.add(data);
            return segments.size() - 1;
        }

        @Override
        public void graph(Partition partition, byte[] bytes, int[] segmentNumbers) {
            plan = bytes;
            numbers = segmentNumbers;
        }

        @Override
        public String partition() {
            return "part";
        }

        @Override
        public MemorySegment plan() {
            return MemorySegment.ofArray(plan).asReadOnly();
        }

        @Override
        public int segmentCount() {
            return numbers.length;
        }

        @Override
        public MemorySegment segment(int index) {
            return segments.get(numbers[index]).asReadOnly();
        }
    }
}
