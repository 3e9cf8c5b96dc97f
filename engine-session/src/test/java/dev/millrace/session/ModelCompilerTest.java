package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests of the sources and destinations of compilations. */
class ModelCompilerTest extends CompiledTest {
    @Test
    @Rows(1)
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
    @Rows(8)
    void aModelFromMemoryHasNoDefaultPlace() {
        assertRefused(
                Status.FAIL,
                () -> compile(ModelInput.buffer(ByteBuffer.wrap(model)), ModelOutput.besideSource(), options()),
                "loaded from bytes");
    }

    @Test
    @Rows(32)
    void aBufferBecomesAFileThatHoldsItsBinary() throws IOException {
        compile(
                ModelInput.buffer(ByteBuffer.wrap(model)),
                ModelOutput.file(target),
                options().embed(true));

        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx");
        assertAnswersAsItsSource(target);
    }

    @Test
    @Rows(33)
    void aFileBecomesABuffer() {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        assertThat(compile(ModelInput.file(source), buffer, options().embed(true))
                        .model())
                .isNull();
        assertAnswersAsItsSource(buffer.bytes());
    }

    @Test
    @Rows(35)
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
    @Rows(35)
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
                () -> compile(
                        ModelInput.file(source), ModelOutput.buffer(), options().binary(folder, "")),
                "output_dir or model_name is empty");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(
                        ModelInput.file(source), ModelOutput.buffer(), options().binary(source, "m")),
                "output_dir is not a valid directory");
    }

    @Test
    @Rows(35)
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
    @Rows(36)
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
            assertThat(answer(session)).containsExactly(answer(same));
        }
    }

    @Test
    @Rows(31)
    void whatWasCompiledOpensWithTheOptionsThatItWasCompiledFor() {
        var same = SessionOptions.builder().provider("simd").provider("cpu").build();
        compile(CompileOptions.of(same));
        try (Session session = engine.session(target, same);
                Session plain = engine.session(source, same)) {
            assertThat(answer(session)).containsExactly(answer(plain));
        }
    }

    @Test
    @Rows(34)
    void aBufferBecomesABuffer() {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        compile(
                ModelInput.buffer(ByteBuffer.wrap(model)),
                buffer,
                options().embed(true).errorIfNothingCompiled(true));
        assertAnswersAsItsSource(buffer.bytes());
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
                () -> compile(ModelInput.file(folder.resolve("gone.onnx")), ModelOutput.file(target), options()),
                "Input model path does not exist");
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.buffer(ByteBuffer.allocate(0)), ModelOutput.file(target), options()),
                "has size 0");
        assertRefused(Status.INVALID_ARGUMENT, () -> ModelOutput.file(Path.of("")), "must not be empty");
    }

    @Test
    @Rows(41)
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
    @Rows(42)
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
    @Rows({12, 39})
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
    void aMonoCompilesWhenSomebodySubscribes() {
        var mono = engine.compiler(CompileOptions.defaults()).mono(ModelInput.file(source), ModelOutput.file(target));
        assertThat(target).doesNotExist();
        assertThat(Objects.requireNonNull(mono.block()).model()).isEqualTo(target);
        assertAnswersAsItsSource(target);
    }

    @Test
    void aClosedEngineCompilesNothing() {
        ModelCompiler compiler = engine.compiler(CompileOptions.defaults());
        engine.close();
        assertRefused(
                Status.CLOSED, () -> compiler.compile(ModelInput.file(source), ModelOutput.file(target)), "closed");
        assertRefused(
                Status.CLOSED,
                () -> compiler.mono(ModelInput.file(source), ModelOutput.file(target))
                        .block(),
                "closed");
    }
}
