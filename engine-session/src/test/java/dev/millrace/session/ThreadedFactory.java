package dev.millrace.session;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.testkit.device.SimulatedKernel;
import dev.millrace.providers.testkit.device.ThreadedDevice;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;

/** A provider whose steps run on a device with a thread of its own; their kernels are those of the provider cpu. */
public final class ThreadedFactory extends TestFactory {
    private final ThreadedDevice device;
    private final Set<String> operators;
    private boolean isConcurrent = true;
    private final ProviderFactory host = ServiceLoader.load(ProviderFactory.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(each -> each.name().equals("cpu"))
            .findFirst()
            .orElseThrow();

    /**
     * @param operationNanos how long an operation takes at least
     * @param operators the operators that it claims; none for all
     */
    public ThreadedFactory(String name, long operationNanos, String... operators) {
        super(name);
        this.device = new ThreadedDevice(name, operationNanos);
        this.operators = Set.of(operators);
    }

    /** Makes providers that want one run of a session at a time. */
    ThreadedFactory withOneRunAtATime() {
        isConcurrent = false;
        return this;
    }

    public ThreadedDevice device() {
        return device;
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        ExecutionProvider cpu = host.create(devices, options);
        return new OnDevice(Objects.requireNonNull(cpu.kernels()));
    }

    @Override
    public void close() {
        device.close();
    }

    private final class OnDevice implements ExecutionProvider {
        private final KernelFactory ofHost;

        OnDevice(KernelFactory ofHost) {
            this.ofHost = ofHost;
        }

        @Override
        public String name() {
            return ThreadedFactory.this.name();
        }

        @Override
        public boolean isConcurrentRunSupported() {
            return isConcurrent;
        }

        @Override
        public Device device() {
            return device;
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            for (Node node : graph.nodes()) {
                if (operators.isEmpty()
                        ? kernels().create(node) != null
                        : operators.contains(node.op().name())) {
                    sink.single(node);
                }
            }
        }

        @Override
        public KernelFactory kernels() {
            return node -> ofHost.create(node) instanceof ShapedKernel kernel ? new SimulatedKernel(kernel) : null;
        }
    }
}
