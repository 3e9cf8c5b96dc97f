package dev.millrace.example.npu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.Health;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ways in which a user of the NPU works with compiled models. The guide shows pieces of this file. */
class NpuFlowsIT {
    private static final Path JAR = Path.of(System.getProperty("example.npu.jar", ""));
    private static final String DRIVER = "example.npu.driver";
    private static final String SDK = "example.npu.sdk";
    private static final String GENERATION = "example.npu.generation";

    @TempDir
    private Path folder = Path.of("");

    private Path source = Path.of("");
    private Path compiled = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("model.onnx"), QuantisedModels.layers(2, 1));
        compiled = folder.resolve("model_ctx.onnx");
    }

    @AfterEach
    void forgetVersions() {
        List.of(DRIVER, SDK, GENERATION).forEach(System::clearProperty);
    }

    /** Creates an engine that has the library. */
    private static Engine engine() {
        Engine engine = Engine.create();
        engine.registerProviderLibrary("npu", JAR);
        return engine;
    }

    /** Options that ask the NPU first, and the host for what it leaves. */
    private static SessionOptions.Builder onNpu() {
        return SessionOptions.builder().provider("npu").provider("cpu");
    }

    private static void compile(Engine engine, Path source, Path target) {
        CompileOptions options =
                CompileOptions.of(onNpu().build()).errorIfNothingCompiled(true).build();
        engine.compiler(options).compile(ModelInput.file(source), ModelOutput.file(target));
    }

    private static float[] answer(Session session) {
        try (Outputs outputs = session.run(QuantisedModels.inputs())) {
            return outputs.get("y").floats();
        }
    }

    /** The answer of the host to the model of so many layers. */
    private static float[] expected(int layers) {
        try (Engine engine = Engine.create();
                Session session = engine.session(
                        QuantisedModels.layers(layers, 1),
                        SessionOptions.builder().provider("cpu").build())) {
            return answer(session);
        }
    }

    private static void assertRuns(Engine engine, Path model, int layers) {
        try (Session session =
                engine.session(model, onNpu().disableModelCompile(true).build())) {
            assertThat(session.label().providers()).contains("npu");
            assertThat(answer(session)).containsExactly(expected(layers));
        }
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aModelIsCompiledWithItsBinaryInsideOrBeside(boolean isInside) throws IOException {
        try (Engine engine = engine()) {
            CompileOptions options =
                    CompileOptions.of(onNpu().build()).embed(isInside).build();
            engine.compiler(options).compile(ModelInput.file(source), ModelOutput.file(compiled));
            assertRuns(engine, compiled, 2);
        }
        assertThat(files()).hasSize(isInside ? 2 : 3).contains("model_ctx.onnx");
    }

    @Test
    void aSessionWritesItsContextModel() throws IOException {
        try (Engine engine = engine()) {
            SessionOptions options = onNpu().config("ep.context_enable", "1").build();
            engine.session(source, options).close();
            assertRuns(engine, compiled, 2);
        }
        assertThat(files()).containsExactly("model.onnx", "model_ctx.onnx", "model_npu.bin");
        Attributes stated = Objects.requireNonNull(Models.read(compiled).graph().firstNode())
                .attributes();
        assertThat(stated.text("ep_sdk_version")).isEqualTo("1.2.0");
        assertThat(stated.text("hardware_architecture")).isEqualTo("npu generation 1");
        assertThat(stated.text("notes")).isEqualTo("driver 4");
    }

    @Test
    @Timeout(60)
    void aCompilationThatTakesMinutesIsCancelled() throws IOException {
        SessionOptions slow = SessionOptions.builder()
                .provider("npu", Map.of("compile_millis", "600000"))
                .provider("cpu")
                .build();
        var cancellation = new Cancellation();
        CompletableFuture.delayedExecutor(100, TimeUnit.MILLISECONDS).execute(cancellation::cancel);
        try (Engine engine = engine()) {
            CompileOptions options =
                    CompileOptions.of(slow).cancellation(cancellation).build();
            assertThatThrownBy(
                            () -> engine.compiler(options).compile(ModelInput.file(source), ModelOutput.file(compiled)))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            ended -> assertThat(ended.status()).isEqualTo(Status.MODEL_LOAD_CANCELED));
        }
        assertThat(files()).containsExactly("model.onnx");
    }

    @Test
    void twoModelsShareTheirWeights() throws IOException {
        Path second = Files.write(folder.resolve("second.onnx"), QuantisedModels.layers(3, 1));
        try (Engine engine = engine()) {
            SessionOptions.Builder sharing =
                    onNpu().config("ep.context_enable", "1").config("ep.share_ep_contexts", "1");
            engine.session(source, sharing.build()).close();
            sharing.config("ep.stop_share_ep_contexts", "1");
            engine.session(second, sharing.build()).close();
            assertThat(files())
                    .containsExactly("model.onnx", "model_ctx.onnx", "model_npu.bin", "second.onnx", "second_ctx.onnx");
            assertRuns(engine, compiled, 2);
            assertRuns(engine, folder.resolve("second_ctx.onnx"), 3);
        }
        // two layers are in both models, and each layer has 16 KiB of weights
        assertThat(Files.size(folder.resolve("model_npu.bin"))).isBetween(3L << 14, 4L << 14);
    }

    @Test
    void aModelOfAnotherDriverIsCompiledAgain() {
        try (Engine engine = engine()) {
            compile(engine, source, compiled);
        }
        System.setProperty(DRIVER, "5");
        try (Engine engine = engine()) {
            assertThatThrownBy(() -> assertRuns(engine, compiled, 2))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            refused -> assertThat(refused.status()).isEqualTo(Status.INVALID_GRAPH))
                    .hasMessageContaining("it is for driver 4, and this is driver 5");
            openOrCompile(engine, source, compiled).close();
            assertRuns(engine, compiled, 2);
        }
    }

    /** Opens a compiled model, which is compiled again if the driver does not take it. */
    private static Session openOrCompile(Engine engine, Path source, Path compiled) {
        try {
            return engine.session(compiled, onNpu().build());
        } catch (EngineException e) {
            if (e.status() != Status.INVALID_GRAPH) {
                throw e;
            }
            compile(engine, source, compiled);
            return engine.session(compiled, onNpu().build());
        }
    }

    @Test
    void compatibilityIsToldWithoutASession() {
        try (Engine engine = engine()) {
            compile(engine, source, compiled);
            assertThat(verdict(engine, compiled)).isEqualTo(Compatibility.OPTIMAL);
            assertThat(engine.compatibility("npu", List.of(HardwareDevice.hostCpu()), "npu generation=1 sdk=1.2.7"))
                    .isEqualTo(Compatibility.OPTIMAL);
        }
        System.setProperty(SDK, "1.3.0");
        try (Engine engine = engine()) {
            assertThat(verdict(engine, compiled)).isEqualTo(Compatibility.PREFER_RECOMPILATION);
            assertRuns(engine, compiled, 2);
        }
        System.setProperty(SDK, "2.0.0");
        try (Engine engine = engine()) {
            assertThat(verdict(engine, compiled)).isEqualTo(Compatibility.UNSUPPORTED);
            assertThatThrownBy(() -> assertRuns(engine, compiled, 2)).hasMessageContaining("not supported");
        }
    }

    private static Compatibility verdict(Engine engine, Path model) {
        return engine.compatibility(model).getFirst().verdict();
    }

    @Test
    void aBinaryIsEncryptedAndDecryptedByCallbacks() throws IOException {
        var vault = new Vault(folder);
        try (Engine engine = engine()) {
            compileInto(vault, engine);
            assertThat(files()).containsExactly("model.onnx", "model_ctx.onnx", "model_npu.bin.secret");
            try (Session session = openFrom(vault, engine)) {
                assertThat(answer(session)).containsExactly(expected(2));
            }
            assertThatThrownBy(() -> assertRuns(engine, compiled, 2))
                    .isInstanceOfSatisfying(
                            EngineException.class,
                            refused -> assertThat(refused.status()).isEqualTo(Status.INVALID_GRAPH));
        }
    }

    private void compileInto(Vault vault, Engine engine) {
        CompileOptions options = CompileOptions.of(onNpu().build())
                .binaryTarget(vault::write, "model")
                .build();
        engine.compiler(options).compile(ModelInput.file(source), ModelOutput.file(compiled));
    }

    private Session openFrom(Vault vault, Engine engine) {
        SessionOptions options =
                onNpu().epContext(context -> context.source(vault::read)).build();
        return engine.session(compiled, options);
    }

    @Test
    void aModelIsCompiledForAnNpuThatIsNotHere() {
        try (Engine engine = Engine.create()) {
            engine.registerProviderLibrary("npu.virtual", JAR);
            assertThat(engine.devices()).anyMatch(device -> device.hardware().isVirtual());
            compile(engine, source, compiled);
        }
        try (Engine engine = engine()) {
            assertThat(verdict(engine, compiled)).isEqualTo(Compatibility.UNSUPPORTED);
        }
        System.setProperty(GENERATION, "2");
        try (Engine engine = engine()) {
            assertThat(verdict(engine, compiled)).isEqualTo(Compatibility.OPTIMAL);
            assertRuns(engine, compiled, 2);
        }
    }

    @Test
    void theClockChangesWhileRunsAreUnderWay() {
        try (Engine engine = engine();
                // twice the requests, because a full queue degrades the health too
                Session session = engine.session(source, onNpu().queue(128).build())) {
            assertThat(session.health().condition()).isEqualTo(Health.Condition.UP);
            var answers = new ArrayList<CompletableFuture<float[]>>();
            for (int i = 0; i < 64; i++) {
                answers.add(session.mono(QuantisedModels.inputs())
                        .map(outputs -> {
                            try (outputs) {
                                return outputs.get("y").floats();
                            }
                        })
                        .toFuture());
            }
            session.setDynamicOptions("npu", Map.of("performance", "saver"));
            assertThat(session.health().condition()).isEqualTo(Health.Condition.DEGRADED);
            session.setDynamicOptions("npu", Map.of("performance", "burst"));
            assertThat(session.health().condition()).isEqualTo(Health.Condition.UP);
            float[] expected = expected(2);
            answers.forEach(answer -> assertThat(answer.join()).containsExactly(expected));
            assertThatThrownBy(() -> session.setDynamicOptions("npu", Map.of("compile_millis", "1")))
                    .hasMessageContaining("'compile_millis' cannot change while a session is open");
        }
    }
}
