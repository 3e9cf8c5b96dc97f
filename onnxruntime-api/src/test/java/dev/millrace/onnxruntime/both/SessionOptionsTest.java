package dev.millrace.onnxruntime.both;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.onnxruntime.OnnxTensor;
import ai.onnxruntime.OrtEnvironment;
import ai.onnxruntime.OrtException;
import ai.onnxruntime.OrtException.OrtErrorCode;
import ai.onnxruntime.OrtLoggingLevel;
import ai.onnxruntime.OrtSession;
import ai.onnxruntime.OrtSession.SessionOptions;
import ai.onnxruntime.OrtSession.SessionOptions.ExecutionMode;
import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import ai.onnxruntime.TensorInfo;
import ai.onnxruntime.providers.CoreMLFlags;
import ai.onnxruntime.providers.NNAPIFlags;
import ai.onnxruntime.providers.OrtCUDAProviderOptions;
import ai.onnxruntime.providers.OrtTensorRTProviderOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The options of sessions: what is taken, what is refused with which code, and what has an effect. */
@Tag("reference")
class SessionOptionsTest {
    private final OrtEnvironment environment = OrtEnvironment.getEnvironment();

    /** A call of a setter. */
    interface Setting {
        void apply(SessionOptions options) throws OrtException;
    }

    private static Stream<Setting> takenSettings() {
        return Stream.of(
                options -> options.setExecutionMode(ExecutionMode.PARALLEL),
                options -> options.setExecutionMode(ExecutionMode.SEQUENTIAL),
                options -> options.setInterOpNumThreads(2),
                options -> options.setIntraOpNumThreads(1),
                options -> options.setIntraOpNumThreads(0),
                options -> options.setLoggerId("log"),
                options -> options.setMemoryPatternOptimization(false),
                options -> options.setCPUArenaAllocator(false),
                options -> options.setSessionLogLevel(OrtLoggingLevel.ORT_LOGGING_LEVEL_ERROR),
                options -> options.setSessionLogVerbosityLevel(0),
                options -> options.setDeterministicCompute(true),
                options -> options.disableProfiling(),
                options -> options.addCPU(true),
                options -> options.addCPU(false),
                options -> options.addConfigEntry("session.intra_op.allow_spinning", "0"),
                options -> options.addConfigEntry("no.such.key", "any"),
                options -> options.addConfigEntry("session.disable_cpu_ep_fallback", "0"),
                options -> options.addExternalInitializers(Map.of()));
    }

    @ParameterizedTest
    @MethodSource("takenSettings")
    void aSessionIsCreatedAllTheSame(Setting setting) throws OrtException {
        try (var options = new SessionOptions()) {
            setting.apply(options);
            try (OrtSession session = environment.createSession(SmallModels.sum(), options)) {
                assertThat(session.getOutputNames()).containsExactly("out0");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("takenSettings")
    void closedOptionsTakeNothing(Setting setting) {
        var options = new SessionOptions();
        options.close();
        assertThatThrownBy(() -> setting.apply(options)).isInstanceOf(IllegalStateException.class);
    }

    private static Stream<Setting> providersOfLibraries() {
        return Stream.of(
                options -> options.addCUDA(),
                options -> options.addCUDA(1),
                options -> options.addROCM(),
                options -> options.addROCM(1),
                options -> options.addDnnl(true),
                options -> options.addOpenVINO("CPU"),
                options -> options.addTensorrt(0));
    }

    @ParameterizedTest
    @MethodSource("providersOfLibraries")
    void providersOfLibrariesFail(Setting setting) {
        assertThat(Failing.codeOf(() -> setting.apply(new SessionOptions()))).isEqualTo(OrtErrorCode.ORT_EP_FAIL);
    }

    private static Stream<Setting> providersThatAreBuiltIn() {
        return Stream.of(
                options -> options.addNnapi(),
                options -> options.addNnapi(EnumSet.of(NNAPIFlags.USE_FP16)),
                options -> options.addTvm("any"),
                options -> options.addDirectML(0),
                options -> options.addACL(true),
                options -> options.addCoreML(),
                options -> options.addCoreML(EnumSet.of(CoreMLFlags.CPU_ONLY)),
                options -> options.addCoreML(Map.of()),
                options -> options.addXnnpack(Map.of()),
                options -> options.addQnn(Map.of()),
                options -> options.addWebGPU(Map.of()));
    }

    @ParameterizedTest
    @MethodSource("providersThatAreBuiltIn")
    void providersOfOtherBuildsAreInvalid(Setting setting) {
        assertThat(Failing.codeOf(() -> setting.apply(new SessionOptions())))
                .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
    }

    @Test
    void optionsOfProvidersNeedTheirLibrary() {
        assertThat(Failing.codeOf(() -> new OrtCUDAProviderOptions().close())).isEqualTo(OrtErrorCode.ORT_EP_FAIL);
        assertThat(Failing.codeOf(() -> new OrtCUDAProviderOptions(1).close())).isEqualTo(OrtErrorCode.ORT_EP_FAIL);
        assertThat(Failing.codeOf(() -> new OrtTensorRTProviderOptions().close()))
                .isEqualTo(OrtErrorCode.ORT_EP_FAIL);
        assertThat(Failing.codeOf(() -> new OrtTensorRTProviderOptions(1).close()))
                .isEqualTo(OrtErrorCode.ORT_EP_FAIL);
    }

    @Test
    void theDeviceThatIsThereIsTaken() throws OrtException {
        try (var options = new SessionOptions()) {
            options.addExecutionProvider(environment.getEpDevices(), Map.of());
            assertThatThrownBy(() -> options.addExecutionProvider(List.of(), Map.of()))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void librariesOfOperatorsFail() throws OrtException {
        try (var options = new SessionOptions()) {
            assertThat(Failing.codeOf(() -> options.registerCustomOpLibrary("/no/such.so")))
                    .isEqualTo(OrtErrorCode.ORT_FAIL);
            assertThat(Failing.codeOf(() -> options.registerCustomOpsUsingFunction("noSuchFunction")))
                    .isEqualTo(OrtErrorCode.ORT_FAIL);
        }
    }

    @Test
    void configEntriesCanBeRead() throws OrtException {
        try (var options = new SessionOptions()) {
            Map<String, String> entries = options.getConfigEntries();
            assertThat(entries).isEmpty();
            options.addConfigEntry("a", "1");
            options.addConfigEntry("b", "2");
            options.addConfigEntry("a", "3");
            assertThat(options.getConfigEntries()).isEqualTo(Map.of("a", "3", "b", "2"));
            assertThat(entries).isEqualTo(options.getConfigEntries());
            assertThatThrownBy(() -> options.getConfigEntries().put("c", "4"))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void configEntriesHaveABound() throws OrtException {
        try (var options = new SessionOptions()) {
            assertThat(Failing.codeOf(() -> options.addConfigEntry("", "v")))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(Failing.codeOf(() -> options.addConfigEntry("k".repeat(1025), "v")))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            assertThat(Failing.codeOf(() -> options.addConfigEntry("k", "v".repeat(8193))))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            options.addConfigEntry("k".repeat(1024), "v".repeat(8192));
        }
    }

    @Test
    void optionsCloseOnce() {
        var options = new SessionOptions();
        options.close();
        assertThatThrownBy(options::close).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(options::getConfigEntries).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aSessionOutlivesItsOptions() throws OrtException {
        var options = new SessionOptions();
        OrtSession session = environment.createSession(SmallModels.negative(), options);
        options.close();
        try (session;
                var x = OnnxTensor.createTensor(environment, 2f);
                var result = session.run(Map.of("in0", x))) {
            assertThat(result.get(0).getValue()).isEqualTo(-2f);
        }
    }

    @ParameterizedTest
    @EnumSource(OptLevel.class)
    void everyLevelComputesTheSame(OptLevel level) throws OrtException {
        try (var options = new SessionOptions()) {
            options.setOptimizationLevel(level);
            try (var session = environment.createSession(SmallModels.sum(), options);
                    var x = OnnxTensor.createTensor(environment, new float[][] {{1, 2}});
                    var result = session.run(Map.of("in0", x, "in1", x))) {
                assertThat(result.get(0).getValue()).isEqualTo(new float[][] {{2, 4}});
            }
        }
    }

    @Test
    void sharedThreadsNeedAnEnvironmentThatHasThem() throws OrtException {
        try (var options = new SessionOptions()) {
            options.disablePerSessionThreads();
            assertThat(Failing.codeOf(() -> environment.createSession(SmallModels.sum(), options)))
                    .isEqualTo(OrtErrorCode.ORT_FAIL);
        }
    }

    @Test
    void aSymbolCanBeFixed() throws OrtException {
        try (var options = new SessionOptions()) {
            options.setSymbolicDimensionValue("n", 2);
            try (var session = environment.createSession(SmallModels.sum(), options);
                    var x = OnnxTensor.createTensor(environment, new float[2][2]);
                    var y = OnnxTensor.createTensor(environment, new float[3][2])) {
                TensorInfo info = (TensorInfo) session.getInputInfo().get("in0").getInfo();
                assertThat(info.getShape()).containsExactly(2, 2);
                assertThat(info.getDimensionNames()).containsExactly("", "");
                session.run(Map.of("in0", x, "in1", x)).close();
                assertThat(Failing.codeOf(() -> session.run(Map.of("in0", y, "in1", y))))
                        .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anInitializerCanBeReplaced(boolean isInput) throws OrtException {
        try (var options = new SessionOptions();
                var x = OnnxTensor.createTensor(environment, new float[] {1, 2})) {
            options.addInitializer("w", x);
            options.addInitializer("unknown", x);
            assertThat(Failing.codeOf(() -> options.addInitializer("w", x)))
                    .isEqualTo(OrtErrorCode.ORT_INVALID_ARGUMENT);
            try (var session = environment.createSession(SmallModels.weighted(isInput), options);
                    var result = session.run(Map.of("x", x))) {
                assertThat(result.get(0).getValue()).isEqualTo(new float[] {2, 4});
            }
        }
    }

    @Test
    void anExternalInitializerHasToBeThere() throws OrtException {
        try (var options = new SessionOptions();
                var x = OnnxTensor.createTensor(environment, new float[] {1, 2})) {
            options.addExternalInitializers(Map.of("unknown", x));
            assertThat(Failing.codeOf(() -> environment.createSession(SmallModels.weighted(false), options)))
                    .isEqualTo(OrtErrorCode.ORT_FAIL);
        }
    }

    @Test
    void aProfileIsWritten(@TempDir Path folder) throws Exception {
        String prefix = folder.resolve("profile").toString();
        try (var options = new SessionOptions()) {
            options.enableProfiling(prefix);
            try (var session = environment.createSession(SmallModels.negative(), options);
                    var x = OnnxTensor.createTensor(environment, 2f)) {
                session.run(Map.of("in0", x)).close();
                assertThat(session.getProfilingStartTimeInNs()).isPositive();
                String file = session.endProfiling();
                assertThat(file).startsWith(prefix + "_").endsWith(".json");
                assertThat(session.endProfiling()).isEmpty();
                assertThat(Files.readString(Path.of(file)).strip())
                        .startsWith("[")
                        .endsWith("]");
            }
        }
    }

    @Test
    void withoutAProfileThereIsNoFile() throws OrtException {
        try (var session = environment.createSession(SmallModels.negative())) {
            assertThat(session.endProfiling()).isEmpty();
            assertThat(session.getProfilingStartTimeInNs()).isZero();
        }
    }

    @Test
    void threadsMayBeAnyNumber() {
        assertThatCode(() -> {
                    try (var options = new SessionOptions()) {
                        options.setIntraOpNumThreads(-1);
                        options.setInterOpNumThreads(-1);
                    }
                })
                .doesNotThrowAnyException();
    }

    private static Stream<Setting> missingValues() {
        return Stream.of(
                options -> options.setExecutionMode(null),
                options -> options.setOptimizationLevel(null),
                options -> options.setSessionLogLevel(null),
                options -> options.addExternalInitializers(null),
                options -> options.addInitializer("w", null),
                options -> options.addExecutionProvider(
                        OrtEnvironment.getEnvironment().getEpDevices(), null),
                options -> options.addExecutionProvider(null, Map.of()));
    }

    @ParameterizedTest
    @MethodSource("missingValues")
    void missingValuesAreNullPointers(Setting setting) {
        try (var options = new SessionOptions()) {
            assertThatThrownBy(() -> setting.apply(options)).isInstanceOf(NullPointerException.class);
        }
    }
}
