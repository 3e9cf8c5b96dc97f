package dev.millrace.session;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A provider that computes: it compiles each product of float values and a constant row, which it keeps in its context
 * binary.
 */
final class ScalingFactory implements ProviderFactory {
    static final String NAME = "scaling";

    /** How many products its kernels have computed. */
    final AtomicInteger products = new AtomicInteger();

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public String vendor() {
        return "test";
    }

    @Override
    public String version() {
        return "1";
    }

    @Override
    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return ProviderDevice.processors(NAME, version(), hardware);
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        return new Scaling();
    }

    private final class Scaling implements ExecutionProvider {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            var nodes = new ArrayList<Node>();
            for (Node node : graph.nodes()) {
                boolean ours = node.op().equals(EpContext.OP)
                        ? NAME.equals(node.attributes().text(EpContext.SOURCE))
                        : node.op().name().equals("Mul");
                if (ours) {
                    nodes.add(node);
                }
            }
            nodes.forEach(node -> sink.fuse(List.of(node)));
        }

        @Override
        public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
            var kernels = new ArrayList<Kernel>();
            for (Partition partition : partitions) {
                kernels.add(new Product(partition.isContext() ? kept(partition, context) : row(partition, context)));
            }
            return kernels;
        }

        private MemorySegment row(Partition partition, CompileContext context) {
            Tensor row = partition.onlyNode().inputs().stream()
                    .filter(Objects::nonNull)
                    .map(Value::constant)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElseThrow();
            ContextSink sink = context.sink();
            if (sink != null) {
                sink.graph(partition, new byte[] {1}, new int[] {sink.segment(row.segment())});
            }
            return row.segment();
        }

        private MemorySegment kept(Partition partition, CompileContext context) {
            CompiledGraph graph = context.resolve(partition.onlyNode());
            return graph.segment(0);
        }
    }

    private final class Product implements ShapedKernel {
        private final MemorySegment row;

        Product(MemorySegment row) {
            this.row = row;
        }

        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return List.of(facts.type(0));
        }

        @Override
        public Launch bind(BindContext context) {
            return this::run;
        }

        private void run(LaunchContext context) {
            MemorySegment of = context.input(0);
            MemorySegment to = context.output(0);
            for (long at = 0; at < to.byteSize(); at += Float.BYTES) {
                float product =
                        of.get(ValueLayout.JAVA_FLOAT, at) * row.get(ValueLayout.JAVA_FLOAT, at % row.byteSize());
                to.set(ValueLayout.JAVA_FLOAT, at, product);
            }
            products.incrementAndGet();
        }
    }
}
