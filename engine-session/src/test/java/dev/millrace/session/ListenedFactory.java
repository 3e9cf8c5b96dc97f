package dev.millrace.session;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A provider that is listened to.
 *
 * @param kept takes the addresses of the blocks of so many bytes and more that it hands in, but for those that lie in a file
 */
record ListenedFactory(ProviderFactory real, long atLeast, List<Long> kept) implements ProviderFactory {
    @Override
    public String name() {
        return real.name();
    }

    @Override
    public String vendor() {
        return real.vendor();
    }

    @Override
    public String version() {
        return real.version();
    }

    @Override
    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return real.devices(hardware);
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        return new ListenedProvider(real.create(devices, options), atLeast, kept);
    }

    private record ListenedProvider(ExecutionProvider real, long atLeast, List<Long> kept)
            implements ExecutionProvider {
        @Override
        public String name() {
            return real.name();
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            real.claim(graph, sink);
        }

        @Override
        public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
            ContextSink sink = context.sink();
            return real.compile(
                    partitions, new ListenedContext(context, sink == null ? null : new Sink(sink, atLeast, kept)));
        }

        @Override
        public @Nullable KernelFactory kernels() {
            return real.kernels();
        }

        @Override
        public String compatibilityInfo(Graph graph) {
            return real.compatibilityInfo(graph);
        }
    }

    private record ListenedContext(
            CompileContext real, @Nullable ContextSink sink) implements CompileContext {
        @Override
        public KernelFactory fallback() {
            return real.fallback();
        }

        @Override
        public CompiledGraph resolve(Node node) {
            return real.resolve(node);
        }

        @Override
        public void checkCancelled() {
            real.checkCancelled();
        }
    }

    private record Sink(ContextSink real, long atLeast, List<Long> kept) implements ContextSink {
        @Override
        public int segment(MemorySegment data) {
            if (data.byteSize() >= atLeast && !data.isMapped()) {
                kept.add(data.address());
            }
            return real.segment(data);
        }

        @Override
        public void graph(Partition partition, byte[] plan, int[] segments) {
            real.graph(partition, plan, segments);
        }
    }
}
