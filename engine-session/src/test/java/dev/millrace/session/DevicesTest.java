package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.scheduler.device.DeviceType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which device a model is compiled for, and whether what was compiled runs there. */
class DevicesTest {
    private static final HardwareDevice GPU = new HardwareDevice(DeviceType.GPU, 7, "test", 1, Map.of());
    private static final HardwareDevice CPU = HardwareDevice.hostCpu();

    @TempDir
    private Path folder = Path.of("");

    private final FakeFactory fake = new FakeFactory();
    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(1, 4, 1));
        target = folder.resolve("net_ctx.onnx");
        fake.drives = DeviceType.GPU;
    }

    private Engine engine(HardwareDevice... virtual) {
        return TestEngines.with(
                fake,
                EngineOptions.builder()
                        .threads(1)
                        .virtualDevices(List.of(virtual))
                        .build());
    }

    private static SessionOptions.Builder options() {
        return SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build())
                .provider(FakeFactory.NAME)
                .provider("cpu");
    }

    private static void assertRefused(Status status, Runnable act, String... parts) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    private void compile(Engine engine) {
        var options = CompileOptions.of(options().build())
                .errorIfNothingCompiled(true)
                .build();
        engine.compiler(options).compile(ModelInput.file(source), ModelOutput.file(target));
    }

    @Test
    @Rows(2)
    void aModelIsCompiledForADeviceThatIsNotHere() {
        try (Engine without = engine()) {
            assertRefused(Status.EP_FAIL, () -> compile(without), "no GPU");
            assertThat(target).doesNotExist();
        }
        try (Engine with = engine(GPU)) {
            compile(with);
        }
        assertThat(target).exists();
        assertThat(folder.resolve("net_fake.bin")).exists();
    }

    @Test
    @Rows(2)
    void optionsOfASessionCompileForItToo() {
        try (Engine with = engine(GPU)) {
            with.session(source, options().config("ep.context_enable", "1").build())
                    .close();
        }
        assertThat(target).exists();
    }

    @Test
    @Rows(81)
    void aDeviceIsCompatibleWhereThereIsNoReasonAgainstIt() {
        try (Engine engine = engine()) {
            assertThat(engine.incompatibilities("cpu", CPU)).isEmpty();
            assertThat(engine.incompatibilities("simd", CPU)).isEmpty();
            assertThat(engine.incompatibilities("fake", GPU)).isEmpty();
            assertThat(engine.incompatibilities("fake", CPU))
                    .singleElement()
                    .satisfies(reason -> assertThat(reason).contains("GPU", "CPU"));
            for (String provider : List.of("cpu", "simd")) {
                assertThat(engine.incompatibilities(provider, GPU)).isNotEmpty();
            }
        }
    }

    @Test
    @Rows({77, 78})
    void aProviderIsAskedAboutATextForTheDevicesThatAreNamed() {
        try (Engine engine = engine()) {
            fake.verdict = Compatibility.PREFER_RECOMPILATION;
            assertThat(engine.compatibility("fake", List.of(GPU), "v7")).isEqualTo(Compatibility.PREFER_RECOMPILATION);
            assertThat(fake.calls).contains("validate v7");
            assertThat(engine.compatibility("cpu", List.of(CPU), "v7")).isEqualTo(Compatibility.NOT_APPLICABLE);
            assertRefused(
                    Status.INVALID_ARGUMENT, () -> engine.compatibility("absent", List.of(CPU), "v7"), "'absent'");
        }
    }

    @Test
    @SuppressWarnings({"NullAway", "DataFlowIssue"})
    @Rows(77)
    void anArgumentThatIsMissingIsInvalid() {
        try (Engine engine = engine()) {
            assertRefused(Status.INVALID_ARGUMENT, () -> engine.compatibility(null, List.of(CPU), "v"), "provider");
            assertRefused(Status.INVALID_ARGUMENT, () -> engine.compatibility("cpu", null, "v"), "devices");
            assertRefused(Status.INVALID_ARGUMENT, () -> engine.compatibility("cpu", List.of(CPU), null), "info");
            assertRefused(Status.INVALID_ARGUMENT, () -> engine.incompatibilities("cpu", null), "device");
        }
    }

    @Test
    @Rows(80)
    void whatSimdSaysOfAModelNamesItsFormatAndItsVectors() {
        try (Engine engine = Engine.create()) {
            engine.compiler(CompileOptions.defaults()).compile(ModelInput.file(source), ModelOutput.file(target));
            String info = engine.compatibility(target).getFirst().compiledFor();
            assertThat(info).matches("simd;format=\\d+;target=[^;]+;weights=(any|recoverable|target)");
            List<HardwareDevice> here = List.of(CPU);
            assertThat(engine.compatibility("simd", here, info)).isEqualTo(Compatibility.OPTIMAL);
            assertThat(engine.compatibility("simd", here, info.replaceFirst("format=\\d+", "format=0")))
                    .isEqualTo(Compatibility.UNSUPPORTED);
            String other = info.replaceFirst("target=[^;]+", "target=other/3");
            assertThat(engine.compatibility("simd", here, other.replaceFirst("weights=.*", "weights=any")))
                    .isEqualTo(Compatibility.PREFER_RECOMPILATION);
            assertThat(engine.compatibility("simd", here, other.replaceFirst("weights=.*", "weights=target")))
                    .isEqualTo(Compatibility.UNSUPPORTED);
            assertThat(engine.compatibility("simd", here, "qnn;v2")).isEqualTo(Compatibility.NOT_APPLICABLE);
        }
    }
}
