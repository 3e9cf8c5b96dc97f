package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.spi.WeightlessSupport;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A provider that fuses one operator, computes nothing, and answers as a test sets it to. */
final class FakeFactory extends TestFactory {
    static final String NAME = "fake";

    final List<String> calls = new ArrayList<>();
    String operator = "Relu";
    String info = "v1";
    Compatibility verdict = Compatibility.OPTIMAL;
    /** The verdicts on certain compatibility texts, by text. */
    final Map<String, Compatibility> verdicts = new HashMap<>();

    @Nullable
    RuntimeException failure;

    /** The type of the device that the provider drives. */
    DeviceType drives = DeviceType.CPU;

    /** The version that the factory reports. */
    String version = "1.0.0";

    /** The level at which it computes. */
    @Nullable
    ProviderLevel level;

    /** The metadata of its devices. */
    Map<String, String> driver = Map.of();

    /** The metadata key by which its devices report support for weightless context binaries. */
    String keyOfWeights = WeightlessSupport.METADATA;

    /** The support for weightless context binaries that its devices report; null for none. */
    @Nullable
    String saidOfWeights;

    /** The support for weightless context binaries that the provider implements. */
    WeightlessSupport doneWithoutWeights = WeightlessSupport.NONE;

    /** The variant that it selects among equals. */
    int selected;

    /** The variants among which it was asked to select. */
    List<Map<String, String>> candidates = List.of();

    /** The number of providers that the factory has created. */
    int created;

    boolean returnsNoKernel;
    boolean cannotLoad;
    boolean keepsWhatIsNotItsOwn;
    /** The fault of its device, or null. */
    @Nullable
    String trouble;

    /** The highest number of a model's partitions that it writes to the context binary. */
    int keepsAtMost = Integer.MAX_VALUE;

    FakeFactory() {
        super(NAME);
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
        return hardware.stream()
                .filter(device -> device.type() == drives)
                .map(device -> new ProviderDevice(NAME, device, metadata(), Map.of(), List.of(MemoryKind.DEFAULT)))
                .toList();
    }

    private Map<String, String> metadata() {
        var metadata = new HashMap<>(driver);
        if (saidOfWeights != null) {
            metadata.put(keyOfWeights, saidOfWeights);
        }
        return metadata;
    }

    @Override
    public List<String> incompatibilities(HardwareDevice device) {
        return device.type() == drives
                ? List.of()
                : List.of("it drives a " + drives + ", and this is a " + device.type());
    }

    @Override
    public @Nullable ProviderLevel level() {
        return level;
    }

    @Override
    public Compatibility validate(List<HardwareDevice> devices, String text) {
        calls.add("validate " + text);
        if (failure != null) {
            throw failure;
        }
        return verdicts.getOrDefault(text, verdict);
    }

    @Override
    public int selectModel(HardwareDevice device, List<Map<String, String>> variants) {
        candidates = variants;
        return selected;
    }

    @Override
    public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
        created++;
        if (devices.isEmpty()) {
            throw new EngineException(Status.EP_FAIL, "there is no " + drives);
        }
        return new Fake();
    }

    @Override
    public void close() {
        calls.add("close");
    }

    private final class Fake implements ExecutionProvider {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            calls.add("claim");
            var nodes = new ArrayList<Node>();
            for (Node node : graph.nodes()) {
                if (node.op().name().equals(operator) || node.op().equals(EpContext.OP)) {
                    nodes.add(node);
                }
            }
            sink.fuse(nodes);
        }

        @Override
        public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
            ContextSink sink = context.sink();
            int kept = 0;
            var kernels = new ArrayList<Kernel>();
            for (Partition partition : partitions) {
                if (partition.isContext() && cannotLoad) {
                    throw EngineException.notImplemented("this provider runs no context");
                }
                if (partition.isContext()) {
                    context.resolve(partition.onlyNode());
                } else if (sink != null && kept++ < keepsAtMost) {
                    Partition own = keepsWhatIsNotItsOwn
                            ? new Partition("stolen", partition.graph(), partition.fused())
                            : partition;
                    sink.graph(own, new byte[] {1}, new int[0]);
                }
                ShapedKernel kernel = _ -> Launch.none();
                kernels.add(kernel);
            }
            return returnsNoKernel ? noneOf(kernels) : kernels;
        }

        /** Replaces the kernels by nulls, as a provider that breaks its contract might. */
        @SuppressWarnings("NullAway")
        private List<Kernel> noneOf(List<Kernel> kernels) {
            kernels.replaceAll(_ -> null);
            return kernels;
        }

        @Override
        public @Nullable String trouble() {
            return trouble;
        }

        @Override
        public WeightlessSupport weightlessSupport() {
            return doneWithoutWeights;
        }

        @Override
        public String compatibilityInfo(Graph graph) {
            if (failure != null) {
                throw failure;
            }
            return info;
        }
    }
}
