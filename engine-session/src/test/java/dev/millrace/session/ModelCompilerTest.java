package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.scheduler.Cancellation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.AssertionFailedError;

class ModelCompilerTest {
    private static final int WIDTH = 48;

    @TempDir
    private Path folder = Path.of("");

    private final Engine engine = Engine.create(EngineOptions.defaults().withThreads(2));
    private final byte[] model = TestModels.perceptron(3, WIDTH, 5);
    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), model);
        target = folder.resolve("net_ctx.onnx");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private static CompileOptions.Builder options() {
        return CompileOptions.builder();
    }

    private CompileReport compile(ModelInput input, ModelOutput output, CompileOptions.Builder options) {
        return engine.compiler(options.build()).compile(input, output);
    }

    private CompileReport compile(CompileOptions.Builder options) {
        return compile(ModelInput.file(source), ModelOutput.file(target), options);
    }

    private static float[] answer(Session session) {
        float[] x = new float[WIDTH];
        Arrays.fill(x, 0.25f);
        try (Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(x, 1, WIDTH)))) {
            return outputs.get(0).floats();
        }
    }

    /** Opens what was compiled without leave to compile, and holds its answer against the source's. */
    private void assertAnswersAsItsSource(byte[] compiled) {
        assertAnswersAsItsSource(compiled, SessionOptions.builder());
    }

    private void assertAnswersAsItsSource(byte[] compiled, SessionOptions.Builder options) {
        try (Session session = engine.session(compiled, options.disableModelCompile(true).build());
                Session plain = engine.session(source)) {
            assertThat(answer(session)).containsExactly(answer(plain));
        }
    }

    private void assertAnswersAsItsSource(Path compiled) {
        var options = SessionOptions.builder().disableModelCompile(true).build();
        try (Session session = engine.session(compiled, options);
                Session plain = engine.session(source)) {
            assertThat(answer(session)).containsExactly(answer(plain));
        }
    }

    private static void assertRefused(Status status, Runnable act, String... parts) {
        assertThatThrownBy(act::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aFileBecomesAFileWithItsBinaryBeside() throws IOException {
        CompileReport report = compile(options().errorIfNothingCompiled(true));

        assertThat(report.model()).isEqualTo(target);
        assertThat(report.phases()).containsOnlyKeys("read", "check", "optimise", "partition", "compile", "write");
        assertThat(report.partitions()).anyMatch(SessionReport.PartitionInfo::compiled);
        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "net_simd.bin");
        assertAnswersAsItsSource(target);
    }

    @Test
    void theDefaultPlaceIsBesideTheSource() {
        CompileReport report = compile(ModelInput.file(source), ModelOutput.besideSource(), options());
        assertThat(report.model()).isEqualTo(target);
    }

    @Test
    void aModelFromMemoryHasNoDefaultPlace() {
        assertRefused(
                Status.FAIL,
                () -> compile(
                        ModelInput.buffer(ByteBuffer.wrap(model)), ModelOutput.besideSource(), options()),
                "loaded from bytes");
    }

    @Test
    void aBufferBecomesAFileThatHoldsItsBinary() throws IOException {
        compile(ModelInput.buffer(ByteBuffer.wrap(model)), ModelOutput.file(target), options().embed(true));

        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx");
        assertAnswersAsItsSource(target);
    }

    @Test
    void aFileBecomesABuffer() {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        assertThat(compile(ModelInput.file(source), buffer, options().embed(true)).model())
                .isNull();
        assertAnswersAsItsSource(buffer.bytes());
    }

    @Test
    void aBufferBecomesABufferWhoseBinaryGoesToAFolder() throws IOException {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        Path out = Files.createDirectory(folder.resolve("out"));
        compile(ModelInput.buffer(ByteBuffer.wrap(model)), buffer, options().binary(out, "named"));

        assertThat(out.resolve("named_simd.bin")).isNotEmptyFile();
        assertRefused(
                Status.INVALID_GRAPH,
                () -> engine.session(buffer.bytes(), SessionOptions.defaults()),
                "ep.context_file_path");
        var there = EpContextOptions.builder().filePath(out.resolve("any.onnx")).build();
        assertAnswersAsItsSource(buffer.bytes(), SessionOptions.builder().epContext(there));
    }

    @Test
    void aBufferWithoutAPlaceForItsBinaryIsRefusedBeforeAnythingIsCompiled() {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.file(source), ModelOutput.buffer(), options()),
                "Unable to generate an output model path");
    }

    @Test
    void theFolderAndTheNameOfTheBinaryAreChecked() {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.file(source), ModelOutput.buffer(), options().binary(folder, "")),
                "output_dir or model_name is empty");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.file(source), ModelOutput.buffer(), options().binary(source, "m")),
                "output_dir is not a valid directory");
    }

    @Test
    void theBinaryOfAFileLiesInItsFolderOrBelow() throws IOException {
        Path sub = Files.createDirectory(folder.resolve("sub"));
        compile(options().binary(sub, "inner"));
        assertThat(sub.resolve("inner_simd.bin")).isNotEmptyFile();
        assertAnswersAsItsSource(target);

        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(
                        ModelInput.file(source),
                        ModelOutput.file(sub.resolve("net_ctx.onnx")),
                        options().binary(folder, "outer")),
                "in the folder of the model");
    }

    @Test
    void initializersOfABufferGoToAFile() throws IOException {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        var plain = SessionOptions.builder().provider("cpu").build();
        compile(
                ModelInput.file(source),
                buffer,
                CompileOptions.of(plain).binary(folder, "net").externalInitializers("net.data", 1024));

        assertThat(folder.resolve("net.data")).isNotEmptyFile();
        assertThat(buffer.bytes().length).isLessThan(model.length / 2);
        var there = SessionOptions.builder().externalDataFolder(folder).build();
        try (Session session = engine.session(buffer.bytes(), there);
                Session same = engine.session(source, plain)) {
            assertThat(answer(session)).hasSameSizeAs(answer(same));
        }
    }

    @Test
    void aStreamAndAChannelAreRead() {
        for (ModelInput input : List.of(
                ModelInput.stream(new ByteArrayInputStream(model)),
                ModelInput.channel(Channels.newChannel(new ByteArrayInputStream(model))))) {
            ModelOutput.Buffer buffer = ModelOutput.buffer();
            compile(input, buffer, options().embed(true));
            assertAnswersAsItsSource(buffer.bytes());
        }
    }

    @Test
    void aGraphIsCompiled() {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        compile(
                ModelInput.graph(Models.read(model, null).graph(), TestModels.OPSET),
                buffer,
                options().embed(true));
        assertAnswersAsItsSource(buffer.bytes());
    }

    @Test
    void anInputThatIsNoneIsRefused() {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(
                        ModelInput.file(folder.resolve("gone.onnx")), ModelOutput.file(target), options()),
                "Input model path does not exist");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.buffer(ByteBuffer.allocate(0)), ModelOutput.file(target), options()),
                "has size 0");
        assertRefused(Status.INVALID_ARGUMENT, () -> ModelOutput.file(Path.of("")), "must not be empty");
    }

    @Test
    void chunksAreTheModel() {
        var all = new ByteArrayOutputStream();
        compile(
                ModelInput.file(source),
                ModelOutput.chunks(chunk -> {
                    assertThat(chunk.hasRemaining()).isTrue();
                    byte[] bytes = new byte[chunk.remaining()];
                    chunk.get(bytes);
                    all.write(bytes);
                }),
                options().embed(true));
        assertAnswersAsItsSource(all.toByteArray());
    }

    @Test
    void whatTheWriterOfChunksThrowsIsTold() throws IOException {
        assertRefused(
                Status.FAIL,
                () -> compile(
                        ModelInput.file(source),
                        ModelOutput.chunks(chunk -> {
                            throw new IOException("my disk is full");
                        }),
                        options().binary(folder, "net")),
                "user's write callback",
                "my disk is full");
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    void nothingCompiledIsAnErrorWhereThatIsAskedFor() throws IOException {
        var plain = SessionOptions.builder().provider("cpu").build();
        assertRefused(
                Status.FAIL,
                () -> compile(CompileOptions.of(plain).errorIfNothingCompiled(true)),
                "Unable to compile any nodes");
        assertThat(files()).containsExactly("net.onnx");

        compile(CompileOptions.of(plain));
        assertThat(operators(target)).doesNotContain(EpContext.OP.toString());
        try (Session session = engine.session(target, plain);
                Session same = engine.session(source, plain)) {
            assertThat(answer(session)).containsExactly(answer(same));
        }
    }

    private static List<String> operators(Path file) {
        var operators = new ArrayList<String>();
        for (Node node : Models.read(file).graph().nodes()) {
            operators.add(node.op().toString());
        }
        return operators;
    }

    @Test
    void anOutputThatIsThereIsReplacedOrAnError() throws IOException {
        Files.writeString(target, "old");
        assertRefused(Status.FAIL, () -> compile(options().errorIfOutputExists(true)), "exists already");
        assertThat(target).hasContent("old");

        compile(options());
        assertAnswersAsItsSource(target);
        compile(options());
        assertAnswersAsItsSource(target);
    }

    @Test
    void theSourceIsNotWrittenOver() throws IOException {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.file(source), ModelOutput.file(source), options()),
                "over its source");
        assertThat(source).hasBinaryContent(model);
    }

    @Test
    void aCompiledModelIsNotCompiledAgain() throws IOException {
        compile(options());
        byte[] before = Files.readAllBytes(target);
        Path again = folder.resolve("again.onnx");
        assertRefused(
                Status.INVALID_GRAPH,
                () -> compile(ModelInput.file(target), ModelOutput.file(again), options()),
                "EPContext node 'net_simd_1'",
                "already compiled");
        assertThat(again).doesNotExist();
        assertThat(target).hasBinaryContent(before);
    }

    @Test
    void whatSessionsMayNotCompileTheCompilerDoes() {
        var options = SessionOptions.builder().disableModelCompile(true).build();
        assertRefused(
                Status.MODEL_REQUIRES_COMPILATION, () -> engine.session(source, options), "'simd'");

        compile(CompileOptions.of(options));
        assertThat(options.disableModelCompile()).isTrue();
        assertAnswersAsItsSource(target);
    }

    @Test
    void theOptionsOfASessionStayAsTheyAre() {
        var options = SessionOptions.builder().build();
        CompileOptions.of(options).embed(true).level(Level.BASIC).nodeNamePrefix("p_").build();
        assertThat(options.epContext()).isEqualTo(EpContextOptions.defaults());
        assertThat(options.optimiser().level()).isEqualTo(Level.ALL);
    }

    @Test
    void aPrefixStandsBeforeTheNamesOfContextNodes() {
        compile(options().nodeNamePrefix("mine_"));
        for (Node node : Models.read(target).graph().nodes()) {
            assertThat(node.name()).startsWith("mine_");
        }
        assertAnswersAsItsSource(target);
    }

    /** Relu of a cast of a cast: one of the two goes at any level but the lowest. */
    @Test
    void theLevelDecidesWhatTheOptimiserDoes() {
        var plain = SessionOptions.builder().provider("cpu").build();
        compile(CompileOptions.of(plain).level(Level.DISABLED));
        assertThat(operators(target)).containsExactlyElementsOf(operators(source));

        compile(CompileOptions.of(plain));
        assertThat(operators(target)).hasSizeLessThan(operators(source).size());
    }

    @Test
    void aPlacementKeepsMovesOrLeavesInitializers() throws IOException {
        Path withData = folder.resolve("far.onnx");
        Models.write(Models.read(model, null), withData, WriteOptions.externalData("far.data"));
        var plain = SessionOptions.builder().provider("cpu").build();
        var asked = new ArrayList<String>();
        Path moved = folder.resolve("moved.data");
        compile(
                ModelInput.file(withData),
                ModelOutput.file(target),
                CompileOptions.of(plain).level(Level.DISABLED).placement((name, tensor, original) -> {
                    asked.add(name);
                    assertThat(original == null).isEqualTo(name.startsWith("b"));
                    return switch (name) {
                        case "w0" -> original;
                        case "w1" -> written(moved, tensor);
                        default -> null;
                    };
                }));

        assertThat(asked).containsExactlyInAnyOrder("w0", "w1", "w2", "b0", "b1", "b2");
        long tensor = (long) WIDTH * WIDTH * Float.BYTES;
        assertThat(moved).hasSize(tensor);
        assertThat(Files.size(target)).isBetween(tensor, 2 * tensor);
        try (Session session = engine.session(target, plain);
                Session same = engine.session(source, plain)) {
            assertThat(answer(session)).containsExactly(answer(same));
        }
        Files.delete(folder.resolve("far.data"));
        assertRefused(Status.NO_SUCH_FILE, () -> engine.session(target), "far.data");
    }

    private static DataPlace written(Path file, Tensor tensor) {
        try {
            byte[] bytes = tensor.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            Files.write(file, bytes);
            return new DataPlace(file.getFileName().toString(), 0, bytes.length);
        } catch (IOException e) {
            throw new AssertionFailedError("cannot write " + file, e);
        }
    }

    @Test
    void progressIsToldPhaseByPhase() {
        var phases = new ArrayList<String>();
        compile(options().progress(each -> phases.add(each.done() + "/" + each.phases() + " " + each.phase())));
        assertThat(phases)
                .containsExactly(
                        "1/6 read", "2/6 check", "3/6 optimise", "4/6 partition", "5/6 compile", "6/6 write");
    }

    @Test
    void whoCancelsGetsNothingWritten() throws IOException {
        for (String phase : List.of("check", "partition", "compile")) {
            var cancellation = new Cancellation();
            assertRefused(
                    Status.MODEL_LOAD_CANCELED,
                    () -> compile(options().cancellation(cancellation).progress(each -> {
                        if (each.phase().equals(phase)) {
                            cancellation.cancel();
                        }
                    })),
                    "cancelled");
            assertThat(files()).containsExactly("net.onnx");
        }
    }

    @Test
    void aMonoCompilesWhenSomebodySubscribes() {
        var mono = engine.compiler(CompileOptions.defaults())
                .mono(ModelInput.file(source), ModelOutput.file(target));
        assertThat(target).doesNotExist();
        assertThat(Objects.requireNonNull(mono.block()).model()).isEqualTo(target);
        assertAnswersAsItsSource(target);
    }

    @Test
    void aClosedEngineCompilesNothing() {
        ModelCompiler compiler = engine.compiler(CompileOptions.defaults());
        engine.close();
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compiler.compile(ModelInput.file(source), ModelOutput.file(target)),
                "closed");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compiler.mono(ModelInput.file(source), ModelOutput.file(target))
                        .block(),
                "closed");
    }
}
