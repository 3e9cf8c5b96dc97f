package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.ContextInfo;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.Verification;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.providers.testkit.RandomTensors;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Context models whose weights stay in their source: rows 88 to 95 of {@code docs/internals/ep-context-acceptance.md}, by {@code simd}. */
class WeightlessTest {
    private static final int WIDTH = 96;
    private static final int LAYERS = 3;
    private static final long WEIGHTS = (long) LAYERS * WIDTH * WIDTH * Float.BYTES;

    @TempDir
    private Path folder = Path.of("");

    private Engine engine = Engine.create();
    private Path source = Path.of("");
    private Path compiled = Path.of("");

    @BeforeEach
    void open() throws IOException {
        engine.close();
        engine = Engine.create(EngineOptions.builder().threads(1).build());
        source = folder.resolve("net.onnx");
        compiled = folder.resolve("net_ctx.onnx");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private void inline() throws IOException {
        Files.write(source, TestModels.perceptron(LAYERS, WIDTH, 1));
    }

    private void external() {
        Models.write(
                Models.read(TestModels.perceptron(LAYERS, WIDTH, 1), null),
                source,
                WriteOptions.externalData("net.data", 0));
    }

    private void compile(WeightlessMode mode) {
        engine.compiler(CompileOptions.builder()
                        .weightless(mode)
                        .errorIfNothingCompiled(true)
                        .build())
                .compile(ModelInput.file(source), ModelOutput.besideSource());
    }

    private long binaryBytes() throws IOException {
        return Files.size(folder.resolve("net_simd.bin"));
    }

    private float[] answer(Path model) {
        return answer(model, SessionOptions.defaults());
    }

    private float[] answer(Path model, SessionOptions options) {
        var random = new Random(7);
        Tensor x = RandomTensors.uniform(random, -0.5f, 0.5f, 2, WIDTH);
        try (Session session = engine.session(model, options);
                Outputs outputs = session.run(Inputs.of("x", x))) {
            return outputs.get(0).floats();
        }
    }

    private static SessionOptions with(UnaryOperator<EpContextOptions.Builder> context) {
        return SessionOptions.builder()
                .epContext(context.apply(EpContextOptions.builder()).build())
                .build();
    }

    private void assertRefused(Path model, SessionOptions options, String... parts) {
        assertThatThrownBy(() -> engine.session(model, options).close())
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContainingAll(parts);
    }

    private Node contextNode() {
        for (Node node : Models.read(compiled).graph().nodes()) {
            if (node.op().equals(EpContext.OP)) {
                return node;
            }
        }
        throw new AssertionError("there is no context node in " + compiled);
    }

    @Test
    @Rows(88)
    void theContextNodeNamesItsSourceAndFindsItBeside() throws IOException {
        inline();
        compile(WeightlessMode.ALL);

        assertThat(contextNode().attributes().text(EpContext.MODEL_FILE)).isEqualTo("net.onnx");
        assertThat(binaryBytes()).isLessThan(WEIGHTS / 4);
        assertThat(Files.size(compiled)).isLessThan(WEIGHTS / 4);
        assertThat(answer(compiled)).containsExactly(answer(source));
    }

    @Test
    @Rows(88)
    void theSourceIsElsewhereWhereAnOptionSaysSo() throws IOException {
        inline();
        compile(WeightlessMode.ALL);
        float[] wanted = answer(source);
        Path moved =
                Files.move(source, Files.createDirectory(folder.resolve("away")).resolve("other.onnx"));

        assertRefused(compiled, SessionOptions.defaults(), "onnx_model_filename", "net.onnx", "does not exist");
        assertThat(answer(compiled, with(context -> context.sourceModel(moved))))
                .containsExactly(wanted);
        assertThat(answer(
                        compiled,
                        SessionOptions.builder()
                                .config("ep.context_source_model_path", moved.toString())
                                .build()))
                .containsExactly(wanted);
    }

    @Test
    @Rows(88)
    void theSourceIsInABuffer() throws IOException {
        inline();
        compile(WeightlessMode.ALL);
        float[] wanted = answer(source);
        byte[] bytes = Files.readAllBytes(source);
        Files.delete(source);

        assertThat(answer(compiled, with(context -> context.sourceBytes(MemorySegment.ofArray(bytes)))))
                .containsExactly(wanted);
        assertThatThrownBy(() -> with(context -> context.sourceModel(source).sourceBytes(MemorySegment.ofArray(bytes))))
                .hasMessageContaining("not both");
    }

    @ParameterizedTest
    @EnumSource(names = {"EXTERNAL_ONLY", "ALL"})
    @Rows(89)
    void weightsInExternalDataNeedNoSourceModel(WeightlessMode mode) throws IOException {
        external();
        compile(mode);
        float[] wanted = answer(source);
        assertThat(binaryBytes()).isLessThan(WEIGHTS / 4);
        Files.delete(source);
        assertThat(answer(compiled)).containsExactly(wanted);

        Path away = Files.createDirectory(folder.resolve("away"));
        Files.move(folder.resolve("net.data"), away.resolve("net.data"));
        assertRefused(compiled, SessionOptions.defaults(), "net.data", "does not exist");
        assertThat(answer(
                        compiled,
                        SessionOptions.builder().externalDataFolder(away).build()))
                .containsExactly(wanted);
    }

    @Test
    @Rows(89)
    void onlyWhatIsExternalIsLeftOutByTheModeForThat() throws IOException {
        inline();
        compile(WeightlessMode.EXTERNAL_ONLY);
        assertThat(binaryBytes()).isGreaterThan(WEIGHTS);
        float[] wanted = answer(source);
        Files.delete(source);
        assertThat(answer(compiled)).containsExactly(wanted);
    }

    @ParameterizedTest
    @EnumSource(names = {"EXTERNAL_ONLY", "ALL"})
    @Rows(90)
    void optionsOfASessionDoTheSame(WeightlessMode mode) throws IOException {
        external();
        engine.session(
                        source,
                        SessionOptions.builder()
                                .config("ep.context_enable", "1")
                                .config("ep.enable_weightless_mode", mode.code())
                                .build())
                .close();
        assertThat(binaryBytes()).isLessThan(WEIGHTS / 4);
        assertThat(answer(compiled)).containsExactly(answer(source));
    }

    @Test
    @Rows(94)
    void theModeIsRecordedAndNoneIsNot() throws IOException {
        external();
        for (WeightlessMode mode : WeightlessMode.values()) {
            compile(mode);
            assertThat(Models.read(compiled).metadata().getOrDefault("weightless_mode", "absent"))
                    .isEqualTo(mode == WeightlessMode.NONE ? "absent" : mode.code());
            assertThat(ContextInfo.of(compiled).weightless()).isEqualTo(mode);
        }
    }

    @Test
    @Rows(95)
    void aModelOfWhichAllIsInTheSourceWarnsWhereTheSourceIsNotNamed() throws IOException {
        inline();
        compile(WeightlessMode.ALL);
        try (Session session = engine.session(compiled)) {
            assertThat(session.report().notes()).anyMatch(note -> note.contains("ep.context_source_model_path"));
        }
        try (Session session = engine.session(compiled, with(context -> context.sourceModel(source)))) {
            assertThat(session.report().notes()).noneMatch(note -> note.contains("ep.context_source_model_path"));
        }
    }

    @Test
    void weightsThatChangedAreRefused() throws IOException {
        inline();
        compile(WeightlessMode.ALL);
        Files.write(source, TestModels.perceptron(LAYERS, WIDTH, 2));
        assertRefused(compiled, SessionOptions.defaults(), "has changed since", "initializer 'w", "another digest");

        Files.write(source, TestModels.perceptron(LAYERS, WIDTH / 2, 1));
        assertRefused(compiled, SessionOptions.defaults(), "has no initializer 'w", "compile it again");
    }

    @Test
    void oneBitOfExternalDataThatChangedIsSeen() throws IOException {
        external();
        compile(WeightlessMode.EXTERNAL_ONLY);
        Path data = folder.resolve("net.data");
        byte[] bytes = Files.readAllBytes(data);
        bytes[bytes.length / 2] ^= 1;
        Files.write(data, bytes);
        assertRefused(compiled, SessionOptions.defaults(), "has changed since", "'net.data'");
        assertThat(answer(compiled, with(context -> context.verification(Verification.NEVER))))
                .hasSize(2 * WIDTH);

        Files.write(data, new byte[100]);
        assertRefused(compiled, SessionOptions.defaults(), "net.data", "100");
        assertRefused(compiled, with(context -> context.verification(Verification.NEVER)), "net.data", "100");
    }

    @Test
    void aChangeIsSeenBySessionsToCome() throws IOException {
        external();
        compile(WeightlessMode.EXTERNAL_ONLY);
        try (Session first = engine.session(compiled)) {
            assertThat(first.inputs()).hasSize(1);
            Path data = folder.resolve("net.data");
            byte[] bytes = Files.readAllBytes(data);
            bytes[0] ^= 1;
            Files.write(data, bytes);
            assertRefused(compiled, SessionOptions.defaults(), "has changed since");
        }
    }

    @Test
    void whatIsPackedFromTheSourceSuitsAnyMachine() throws IOException {
        inline();
        compile(WeightlessMode.ALL);
        assertThat(engine.compatibility(compiled)).singleElement().satisfies(each -> {
            assertThat(each.verdict()).isEqualTo(Compatibility.OPTIMAL);
            assertThat(each.compiledFor()).endsWith(";weights=source");
            String other = each.compiledFor().replaceFirst(";target=[^;]*", ";target=avx9/128");
            assertThat(other).contains("avx9/128");
            assertThat(engine.compatibility("simd", List.of(), other)).isEqualTo(Compatibility.OPTIMAL);
        });
    }

    @Test
    void insideOfTheModelThereIsOnlyThePlan() throws IOException {
        inline();
        engine.compiler(CompileOptions.builder()
                        .weightless(WeightlessMode.ALL)
                        .embed(true)
                        .build())
                .compile(ModelInput.file(source), ModelOutput.besideSource());
        assertThat(Files.size(compiled)).isLessThan(WEIGHTS / 4);
        assertThat(answer(compiled)).containsExactly(answer(source));
    }

    @Test
    void aModelFromMemoryHasItsSourceNamedWhenItIsLoaded() throws IOException {
        inline();
        var buffer = ModelOutput.buffer();
        engine.compiler(CompileOptions.builder()
                        .weightless(WeightlessMode.ALL)
                        .embed(true)
                        .build())
                .compile(ModelInput.buffer(ByteBuffer.wrap(Files.readAllBytes(source))), buffer);
        Files.write(compiled, buffer.bytes());
        assertRefused(compiled, SessionOptions.defaults(), "not known", "ep.context_source_model_path");
        assertThat(answer(compiled, with(context -> context.sourceModel(source))))
                .containsExactly(answer(source));
    }

    @Test
    void modelsOfAGroupFindEachItsOwnSource() throws IOException {
        inline();
        Path other = Files.write(folder.resolve("other.onnx"), TestModels.perceptron(LAYERS, WIDTH, 5));
        try (ContextGroup group = ContextGroup.create()) {
            ModelCompiler compiler = engine.compiler(CompileOptions.builder()
                    .weightless(WeightlessMode.ALL)
                    .group(group)
                    .build());
            compiler.compile(ModelInput.file(source), ModelOutput.besideSource());
            compiler.compile(ModelInput.file(other), ModelOutput.besideSource());
            group.write();
        }
        assertThat(binaryBytes()).isLessThan(WEIGHTS / 4);
        assertThat(answer(compiled)).containsExactly(answer(source));
        assertThat(answer(folder.resolve("other_ctx.onnx"))).containsExactly(answer(other));
    }
}
