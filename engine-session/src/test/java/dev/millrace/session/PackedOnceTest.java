package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.EpContextOptions;
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
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Weights that models of a group have in common are packed for the first of them alone. */
class PackedOnceTest {
    private static final int WIDTH = 160;
    private static final long WEIGHTS = (long) WIDTH * WIDTH * Float.BYTES;

    private final List<Long> kept = new ArrayList<>();

    /** A provider that is listened to: where the large blocks lie that it hands in. */
    private record Listened(ProviderFactory real, List<Long> kept) implements ProviderFactory {
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
            return new ListenedProvider(real.create(devices, options), kept);
        }
    }

    private record ListenedProvider(ExecutionProvider real, List<Long> kept) implements ExecutionProvider {
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
            return real.compile(partitions, new ListenedContext(context, sink == null ? null : new Sink(sink, kept)));
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

    private record Sink(ContextSink real, List<Long> kept) implements ContextSink {
        @Override
        public int segment(MemorySegment data) {
            if (data.byteSize() >= WEIGHTS) {
                kept.add(data.address());
            }
            return real.segment(data);
        }

        @Override
        public void graph(Partition partition, byte[] plan, int[] segments) {
            real.graph(partition, plan, segments);
        }
    }

    @Test
    void theSecondModelHandsInTheMemoryThatTheFirstPacked(@TempDir Path folder) throws IOException {
        var providers = new ArrayList<ProviderFactory>();
        ServiceLoader.load(ProviderFactory.class).forEach(each -> providers.add(new Listened(each, kept)));
        Path one = Files.write(folder.resolve("one.onnx"), TestModels.perceptron(3, WIDTH, 5));
        Path two = Files.write(folder.resolve("two.onnx"), TestModels.perceptron(4, WIDTH, 5));
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(1), providers);
                ContextGroup group = ContextGroup.create()) {
            var options = SessionOptions.builder()
                    .epContext(
                            EpContextOptions.builder().enable(true).group(group).build())
                    .build();
            engine.session(one, options).close();
            List<Long> first = List.copyOf(kept);
            assertThat(first).hasSize(3);
            System.gc();
            kept.clear();
            engine.session(two, options).close();
            assertThat(kept).hasSize(4).containsAll(first);
            group.write();
        }
    }
}
