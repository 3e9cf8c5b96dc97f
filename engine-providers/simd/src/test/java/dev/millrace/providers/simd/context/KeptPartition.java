package dev.millrace.providers.simd.context;

import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.simd.SimdFactory;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Fallback;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.PlanRunner;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The only partition of a graph: compiled, kept in memory, and resolved from there any number of times. */
final class KeptPartition {
    private final Graph source = Graph.named("case");
    private final Partition partition;
    private final ExecutionProvider cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
    private final Kernel compiled;
    private final String info;
    byte[] plan = {};
    List<MemorySegment> segments = new ArrayList<>();

    KeptPartition(Consumer<GraphEditor> making) {
        this(making, Map.of());
    }

    /** Compiles the partition with options of the provider. */
    KeptPartition(Consumer<GraphEditor> making, Map<String, String> options) {
        making.accept(new GraphEditor(source));
        TypeInference.infer(source);
        ExecutionProvider simd = provider(options);
        List<Partitioning.Fused> fused =
                Partitioner.partition(source, List.of(simd, cpu), "case").fused();
        if (fused.size() != 1) {
            throw new IllegalArgumentException("the graph has " + fused.size() + " partitions");
        }
        partition = fused.getFirst().partition();
        compiled = simd.compile(List.of(partition), new Context(new Sink())).getFirst();
        info = simd.compatibilityInfo(source);
    }

    static ExecutionProvider provider(Map<String, String> options) {
        return new SimdFactory().create(List.of(), new ProviderOptions(1, options));
    }

    /** The compatibility information that the provider wrote into the context model. */
    String info() {
        return info;
    }

    KernelFactory fallback() {
        return new Fallback(List.of(cpu));
    }

    long bulkBytes() {
        return segments.stream().mapToLong(MemorySegment::byteSize).sum();
    }

    CompiledGraph kept() {
        return new Kept(aligned(plan), List.copyOf(segments));
    }

    private static MemorySegment aligned(byte[] bytes) {
        return Arena.ofAuto()
                .allocate(Math.max(1, bytes.length), 64)
                .asSlice(0, bytes.length)
                .copyFrom(MemorySegment.ofArray(bytes))
                .asReadOnly();
    }

    private record Kept(MemorySegment plan, List<MemorySegment> segments) implements CompiledGraph {
        @Override
        public String partition() {
            return "kept";
        }

        @Override
        public int segmentCount() {
            return segments.size();
        }

        @Override
        public MemorySegment segment(int index) {
            return segments.get(index).asReadOnly();
        }
    }

    private final class Sink implements ContextSink {
        @Override
        public int segment(MemorySegment data) {
            segments.add(data);
            return segments.size() - 1;
        }

        @Override
        public void graph(Partition of, byte[] bytes, int[] used) {
            plan = bytes;
            List<MemorySegment> all = segments;
            segments = new ArrayList<>();
            for (int number : used) {
                segments.add(all.get(number));
            }
        }
    }

    private final class Context implements CompileContext {
        private final @Nullable ContextSink sink;

        Context(@Nullable ContextSink sink) {
            this.sink = sink;
        }

        @Override
        public @Nullable ContextSink sink() {
            return sink;
        }

        @Override
        public KernelFactory fallback() {
            return KeptPartition.this.fallback();
        }

        @Override
        public CompiledGraph resolve(Node node) {
            return kept();
        }

        @Override
        public void checkCancelled() {
            // nobody cancels a test
        }
    }

    /** Creates a graph with an EPContext node that has the inputs and outputs of the partition. */
    Graph context() {
        Graph graph = Graph.named("context");
        var editor = new GraphEditor(graph);
        var inputs = new ArrayList<@Nullable Value>();
        for (Value input : partition.graph().inputs()) {
            inputs.add(editor.addInput(input.name(), input.type()));
        }
        for (Value output : addContext(editor, inputs).outputs()) {
            editor.addOutput("output", Objects.requireNonNull(output));
        }
        return graph;
    }

    /** Adds an EPContext node with the outputs of the partition, none of which is an output of the graph yet. */
    Node addContext(GraphEditor editor, List<@Nullable Value> inputs) {
        List<Value> made = partition.graph().outputs();
        @Nullable Value[] outputs = new Value[made.size()];
        for (int i = 0; i < outputs.length; i++) {
            outputs[i] = editor.value(made.get(i).name(), made.get(i).type());
        }
        return editor.insert(NodeSpec.of(EpContext.OP, 1, inputs).named("kept"), null, outputs);
    }

    Kernel resolve() {
        return resolve(context());
    }

    Kernel resolve(Map<String, String> options) {
        return resolve(context(), options);
    }

    /** Returns the kernel of the kept partition, for the only node of a graph. */
    Kernel resolve(Graph context) {
        return resolve(context, Map.of());
    }

    private Kernel resolve(Graph context, Map<String, String> options) {
        var part = new Partition("kept", context, Objects.requireNonNull(context.firstNode()));
        Kernel kernel =
                provider(options).compile(List.of(part), new Context(null)).getFirst();
        ((ContextKernel) kernel).open();
        return kernel;
    }

    List<Tensor> runCompiled(List<Tensor> inputs) {
        return run(compiled, source, inputs);
    }

    List<Tensor> runResolved(List<Tensor> inputs) {
        Graph context = context();
        return run(resolve(context), context, inputs);
    }

    /** Runs a graph of one node. */
    static List<Tensor> run(Kernel kernel, Graph graph, List<Tensor> inputs) {
        var plan = PlanBuilder.build(graph, _ -> new PlanBuilder.Assignment(kernel, "simd", Device.CPU));
        try (var pool = new WorkerPool(1)) {
            Map<String, Datum> named = new HashMap<>();
            for (int i = 0; i < inputs.size(); i++) {
                named.put(graph.inputs().get(i).name(), inputs.get(i));
            }
            Datum[] outputs = new PlanRunner(plan, pool, 1, 8).run(named::get, new Cancellation(), null);
            return Arrays.stream(outputs).map(output -> (Tensor) output).toList();
        }
    }
}
