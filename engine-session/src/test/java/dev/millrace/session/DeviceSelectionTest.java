package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Graph;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.device.DeviceType;
import dev.millrace.scheduler.device.MemoryKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests of the choice of devices by the session: by device, by preference, and by a function. */
class DeviceSelectionTest {
    private static final HardwareDevice DISCRETE =
            new HardwareDevice(DeviceType.GPU, 1, "maker", 1, Map.of(HardwareDevice.DISCRETE, "1"));
    private static final HardwareDevice INTEGRATED = new HardwareDevice(DeviceType.GPU, 1, "maker", 2, Map.of());
    private static final HardwareDevice NPU = new HardwareDevice(DeviceType.NPU, 2, "other", 3, Map.of());
    private static final HardwareDevice ABSENT =
            new HardwareDevice(DeviceType.NPU, 2, "other", 4, Map.of(HardwareDevice.VIRTUAL, "1"));

    private final List<String> made = new ArrayList<>();

    /** A provider of one type of device, which claims nothing and records what it was made with. */
    private final class Recording extends TestFactory {
        private final DeviceType type;

        Recording(String name, DeviceType type) {
            super(name);
            this.type = type;
        }

        @Override
        public List<ProviderDevice> devices(List<HardwareDevice> hardware) {
            return hardware.stream()
                    .filter(device -> device.type() == type)
                    .map(device -> new ProviderDevice(name(), device, Map.of(), Map.of(), List.of(MemoryKind.DEFAULT)))
                    .toList();
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            made.add(name()
                    + devices.stream()
                            .map(device -> device.hardware().deviceId())
                            .toList()
                    + (options.values().isEmpty() ? "" : options.values()));
            return new ExecutionProvider() {
                @Override
                public String name() {
                    return Recording.this.name();
                }

                @Override
                public void claim(Graph graph, CapabilitySink sink) {
                    // it leaves all nodes to others
                }
            };
        }
    }

    private final Engine engine = Engine.create(EngineOptions.builder()
            .threads(1)
            .virtualDevices(List.of(INTEGRATED, DISCRETE, NPU, ABSENT))
            .providers(List.of(new Recording("gpu", DeviceType.GPU), new Recording("npu", DeviceType.NPU)))
            .build());

    @AfterEach
    void close() {
        engine.close();
    }

    private List<String> made(SessionOptions options) {
        made.clear();
        engine.session(TestModels.softmax(), options).close();
        return List.copyOf(made);
    }

    private List<String> made(DevicePolicy policy) {
        return made(SessionOptions.builder().devicePolicy(policy).build());
    }

    private ProviderDevice device(HardwareDevice hardware) {
        return engine.devices().stream()
                .filter(device -> device.hardware().equals(hardware))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Rows({107, 120})
    void aPreferenceChoosesTheBestDeviceThatIsPresent() {
        assertThat(made(DevicePreference.PREFER_CPU)).isEmpty();
        assertThat(made(DevicePreference.PREFER_GPU)).containsExactly("gpu[1]");
        assertThat(made(DevicePreference.PREFER_NPU)).containsExactly("npu[3]");
        assertThat(made(DevicePreference.MAX_PERFORMANCE)).containsExactly("gpu[1]");
        assertThat(made(DevicePreference.MAX_EFFICIENCY)).containsExactly("npu[3]");
        assertThat(made(DevicePreference.MIN_OVERALL_POWER)).containsExactly("npu[3]");
    }

    @Test
    void withoutADeviceOfItsKindAPreferenceTakesTheNextBest() {
        List<ProviderDevice> some = List.of(device(INTEGRATED), device(ABSENT));
        assertThat(DevicePreference.PREFER_NPU.choose(some)).isEmpty();
        assertThat(DevicePreference.PREFER_GPU.choose(some)).containsExactly(device(INTEGRATED));
        assertThat(DevicePreference.MAX_EFFICIENCY.choose(some)).containsExactly(device(INTEGRATED));
        assertThat(DevicePreference.MIN_OVERALL_POWER.choose(some)).isEmpty();
    }

    @Test
    void preferencesHaveNames() {
        assertThat(SessionOptions.builder()
                        .set("devicePolicy", "prefer_npu")
                        .build()
                        .devicePolicy())
                .isEqualTo(DevicePreference.PREFER_NPU);
        CompiledTest.assertRefused(
                Status.INVALID_ARGUMENT,
                () -> SessionOptions.builder().set("devicePolicy", "fastest"),
                "fastest",
                "prefer_npu");
    }

    @Test
    @Rows(120)
    void aFunctionChoosesInItsOrder() {
        assertThat(made(devices -> List.of(device(NPU), device(DISCRETE), device(INTEGRATED))))
                .containsExactly("npu[3]", "gpu[1, 2]");
    }

    @Test
    void whatAFunctionMakesUpIsRefused() {
        ProviderDevice other = new ProviderDevice("npu", DISCRETE, Map.of(), Map.of(), List.of(MemoryKind.DEFAULT));
        CompiledTest.assertRefused(
                Status.INVALID_ARGUMENT, () -> made(devices -> List.of(other)), "no device of this engine");
    }

    @Test
    void namedProvidersLeaveNothingToAPolicy() {
        var both = SessionOptions.builder().provider("npu").devicePolicy(DevicePreference.PREFER_GPU);
        CompiledTest.assertRefused(Status.INVALID_ARGUMENT, () -> made(both.build()), "devicePolicy", "npu");
    }

    @Test
    void aSessionNamesDevicesWithOptions() {
        assertThat(made(SessionOptions.builder()
                        .device(device(DISCRETE), Map.of("streams", "2"))
                        .device(device(INTEGRATED))
                        .provider("cpu")
                        .build()))
                .containsExactly("gpu[1, 2]{streams=2}");
    }

    @Test
    void aDeviceThatTheProviderDoesNotDriveIsRefused() {
        var gone = new ProviderDevice("npu", DISCRETE, Map.of(), Map.of(), List.of(MemoryKind.DEFAULT));
        CompiledTest.assertRefused(
                Status.INVALID_ARGUMENT,
                () -> made(SessionOptions.builder().device(gone).provider("cpu").build()),
                "provider 'npu' cannot drive");
        CompiledTest.assertRefused(
                Status.INVALID_ARGUMENT, () -> new ProviderChoice("gpu", Map.of(), List.of(gone)), "'npu'", "'gpu'");
    }
}
