package dev.millrace.example.npu;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The provider of one session. */
final class NpuProvider implements ExecutionProvider {
    private final NpuDevice device;
    private final NpuWeights weights;
    private final NpuTarget target;
    private final NpuSettings settings;
    private final NpuSession session;

    NpuProvider(NpuDevice device, NpuWeights weights, NpuTarget target, NpuSettings settings) {
        this.device = device;
        this.weights = weights;
        this.target = target;
        this.settings = settings;
        session = new NpuSession(settings, target.generation() != device.info().deviceId());
    }

    @Override
    public String name() {
        return NpuTarget.NAME;
    }

    @Override
    public Device device() {
        return device;
    }

    /** Claims the nodes that the NPU has instructions for, and the contexts that this provider has written. */
    @Override
    public void claim(Graph graph, CapabilitySink sink) {
        var nodes = new ArrayList<Node>();
        for (Node node : graph.nodes()) {
            if (node.op().equals(EpContext.OP)) {
                if (node.attributes().text(EpContext.SOURCE, "").equals(NpuTarget.NAME)) {
                    sink.fuse(List.of(node));
                }
            } else if (NpuOperators.isSupported(node)) {
                nodes.add(node);
            }
        }
        sink.fuse(nodes);
    }

    @Override
    public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
        var kernels = new ArrayList<Kernel>();
        try {
            for (Partition partition : partitions) {
                NpuProgram program = partition.isContext()
                        ? NpuContainer.read(context.resolve(partition.onlyNode()), target)
                        : compile(partition, context);
                kernels.add(new NpuKernel(program, weights, session));
            }
            return kernels;
        } catch (RuntimeException e) {
            release(kernels);
            throw e;
        }
    }

    private NpuProgram compile(Partition partition, CompileContext context) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(settings.compileMillis());
        NpuProgram program = NpuCompiler.compile(partition.graph());
        while (System.nanoTime() < end) {
            context.checkCancelled();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
        ContextSink sink = context.sink();
        if (sink != null) {
            int[] segments = program.constants().stream()
                    .mapToInt(constant -> sink.segment(constant.data()))
                    .toArray();
            sink.graph(partition, NpuContainer.write(program, target), segments);
            sink.describe(partition, target.facts());
        }
        return program;
    }

    @Override
    public void release(List<Kernel> kernels) {
        kernels.forEach(kernel -> ((NpuKernel) kernel).release());
    }

    @Override
    public String compatibilityInfo(Graph graph) {
        return target.text();
    }

    @Override
    public void setDynamicOptions(Map<String, String> options) {
        options.forEach((key, value) -> {
            if (!key.equals(NpuSettings.PERFORMANCE)) {
                throw EngineException.invalidArgument(
                        "'" + key + "' cannot change while a session is open; '" + NpuSettings.PERFORMANCE + "' can");
            }
            session.change(NpuSettings.choice(NpuSettings.Performance.values(), key, value));
        });
    }

    /** The level at which it computes, by which people see the performance that was chosen. */
    @Override
    public ProviderLevel computeLevel() {
        String name = NpuSettings.name(session.performance());
        String remedy =
                session.performance() == NpuSettings.Performance.SAVER ? "set the option performance to burst" : "";
        return new ProviderLevel(name, "the option performance is " + name, remedy);
    }

    @Override
    public @Nullable String trouble() {
        return device.failure().map(DeviceFailure::getMessage).orElse(null);
    }
}
