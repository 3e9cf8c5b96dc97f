package dev.millrace.providers.testkit.device;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;

/**
 * A factory of providers whose steps run on a device with a thread of its own, by the kernels of the provider {@code cpu},
 * which has to be on the class path. It shows what sessions do with a device where there is none.
 */
public final class ThreadedFactory implements ProviderFactory {
    /** The option that lets all operations of the device fail while a session with it is open. */
    public static final String FAILING = "failing";

    private final String name;
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
        this.name = name;
        this.device = new ThreadedDevice(name, operationNanos);
        this.operators = Set.of(operators);
    }

    /** Makes providers that want one run of a session at a time. */
    public ThreadedFactory withOneRunAtATime() {
        isConcurrent = false;
        return this;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String vendor() {
        return device.info().vendor();
    }

    @Override
    public String version() {
        return "1.0.0";
    }

    @Override
    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return ProviderDevice.processors(name, version(), hardware);
    }

    public ThreadedDevice device() {
        return device;
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        options.allowOnly(name, Set.of(FAILING));
        ExecutionProvider cpu = host.create(devices, new ProviderOptions(options.threads(), Map.of()));
        return new OnDevice(
                Objects.requireNonNull(cpu.kernels()), options.values().containsKey(FAILING));
    }

    @Override
    public void close() {
        device.close();
    }

    private final class OnDevice implements ExecutionProvider {
        private final KernelFactory ofHost;

        private final boolean isFailing;

        OnDevice(KernelFactory ofHost, boolean isFailing) {
            this.ofHost = ofHost;
            this.isFailing = isFailing;
        }

        @Override
        public void onSessionReady() {
            if (isFailing) {
                device.failOneIn(1);
            }
        }

        @Override
        public void close() {
            if (isFailing) {
                device.failOneIn(0);
            }
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
                boolean isWanted = operators.isEmpty()
                        ? kernels().create(node) != null
                        : operators.contains(node.op().name());
                if (isWanted && SimulatedRun.hasNumbersOnly(node)) {
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
