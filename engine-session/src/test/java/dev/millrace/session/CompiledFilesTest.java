package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests of the files of a compilation: they stay where their model can name them, and replace none
 * of the files that it is made from.
 */
class CompiledFilesTest extends CompiledTest {
    private static final SessionOptions PLAIN =
            SessionOptions.builder().provider("cpu").build();

    /** Returns the file of a copy of the model with its weights in a file beside it. */
    private Path withData(String data) {
        Path file = folder.resolve("far.onnx");
        Models.write(Models.read(model, null), file, WriteOptions.externalData(data, 64));
        return file;
    }

    @Test
    void initializersMayLieInMemory() throws IOException {
        Path far = withData("far.data");
        byte[] content = Files.readAllBytes(folder.resolve("far.data"));
        Files.delete(folder.resolve("far.data"));
        SessionOptions options = PLAIN.toBuilder()
                .externalData("far.data", MemorySegment.ofArray(content))
                .build();
        assertThat(options.externalData()).containsOnlyKeys("far.data");
        try (Session expected = engine.session(model, PLAIN);
                Session ofFile = engine.session(far, options);
                Session ofMemory = engine.session(Files.readAllBytes(far), options)) {
            assertThat(answer(ofFile)).isEqualTo(answer(expected));
            assertThat(answer(ofMemory)).isEqualTo(answer(expected));
        }
        assertAnswersAsItsSource(compiled(ModelInput.file(far), CompileOptions.of(options)), PLAIN.toBuilder());
    }

    private byte[] compiled(ModelInput input, CompileOptions.Builder options) {
        ModelOutput.Buffer buffer = ModelOutput.buffer();
        compile(input, buffer, options.binary(folder, "net"));
        return buffer.bytes();
    }

    @Test
    void initializersGoToABufferAndComeFromIt() {
        var weights = new ByteArrayOutputStream();
        byte[] compiled =
                compiled(ModelInput.file(source), CompileOptions.of(PLAIN).placement((name, tensor, original) -> {
                    var place = new DataPlace(
                            "weights", weights.size(), tensor.segment().byteSize());
                    weights.writeBytes(tensor.segment().toArray(ValueLayout.JAVA_BYTE));
                    return place;
                }));
        assertThat(weights.size()).isPositive();
        assertAnswersAsItsSource(
                compiled, PLAIN.toBuilder().externalData("weights", MemorySegment.ofArray(weights.toByteArray())));
    }

    @Test
    void initializersDoNotGoOverTheSource() {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(CompileOptions.of(PLAIN).externalInitializers("net.onnx", 0)),
                "net.onnx",
                "over its source");
        assertThat(source).hasBinaryContent(model);
    }

    @Test
    void initializersDoNotGoOverTheDataOfTheSource() throws IOException {
        Path far = withData("far.data");
        byte[] before = Files.readAllBytes(folder.resolve("far.data"));
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(
                        ModelInput.file(far),
                        ModelOutput.besideSource(),
                        CompileOptions.of(PLAIN).externalInitializers("far.data", 0)),
                "far.data",
                "over its source");
        assertThat(folder.resolve("far.data")).hasBinaryContent(before);
    }

    @Test
    void theModelDoesNotGoOverTheDataOfTheSource() throws IOException {
        Path far = withData("far_ctx.onnx");
        byte[] before = Files.readAllBytes(folder.resolve("far_ctx.onnx"));
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.file(far), ModelOutput.besideSource(), options()),
                "far_ctx.onnx",
                "over its source");
        assertThat(folder.resolve("far_ctx.onnx")).hasBinaryContent(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"../net", "sub/net", "sub\\net"})
    void theNameOfABinaryIsNoPath(String name) throws IOException {
        Path inner = Files.createDirectory(folder.resolve("inner"));
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(
                        ModelInput.file(source),
                        ModelOutput.file(inner.resolve("net_ctx.onnx")),
                        options().binary(inner, name)),
                "output_dir");
        assertThat(files()).containsExactly("inner", "net.onnx");
        assertThat(inner).isEmptyDirectory();
    }

    /** An attacker with write access to the target folder makes the lock a link to a file of the user's. */
    @Test
    void aLockThatIsALinkIsNeitherWrittenNorRemoved() throws IOException {
        Path precious = Files.writeString(folder.resolve("precious.txt"), "precious");
        Path lock = Files.createSymbolicLink(folder.resolve(".millrace.lock"), precious);
        compile(ModelInput.file(source), ModelOutput.besideSource(), options());
        assertThat(precious).hasContent("precious");
        assertThat(Files.isSymbolicLink(lock)).isTrue();
        Files.delete(lock);
        Files.writeString(lock, "a text that is longer than any that a lock holds");
        compile(ModelInput.file(source), ModelOutput.file(folder.resolve("second_ctx.onnx")), options());
        assertThat(lock).hasContent("a text that is longer than any that a lock holds");
    }

    @Test
    void aBinaryThatIsAFifoIsNotWaitedFor() throws IOException, InterruptedException {
        Path binary = folder.resolve("net_simd.bin");
        try {
            assertThat(new ProcessBuilder("mkfifo", binary.toString()).start().waitFor())
                    .isZero();
        } catch (IOException e) {
            Assumptions.abort("there is no mkfifo: " + e);
        }
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(60),
                () -> assertRefused(
                        Status.FAIL,
                        () -> compile(ModelInput.file(source), ModelOutput.besideSource(), options()),
                        "net_simd.bin",
                        "exists already and is none"));
    }

    /** A model in memory leaves only its binary in the folder. */
    @Test
    void theBinaryOfAModelInMemoryIsAnOutputThatExists() throws IOException {
        var first = ModelOutput.buffer();
        compile(ModelInput.file(source), first, options().binary(folder, "kept"));
        Path other = Files.write(folder.resolve("other.onnx"), TestModels.perceptron(2, WIDTH, 6));
        assertRefused(
                Status.FAIL,
                () -> compile(
                        ModelInput.file(other),
                        ModelOutput.buffer(),
                        options().binary(folder, "kept").errorIfOutputExists(true)),
                "kept_simd.bin",
                "exists already");
        assertAnswersAsItsSource(first.bytes(), in(folder));

        var second = ModelOutput.buffer();
        compile(ModelInput.file(source), second, options().binary(folder, "kept"));
        assertAnswersAsItsSource(second.bytes(), in(folder));
    }

    /** Reproducible files can be cached by content, signed, and written by several processes at a time. */
    @Test
    void aModelThatIsCompiledAgainGivesTheSameFiles() throws IOException {
        Path wide = Files.write(folder.resolve("wide.onnx"), TestModels.perceptron(12, WIDTH, 6));
        Path first = compiledIn("first", wide);
        for (String name : List.of("second", "third")) {
            Path again = compiledIn(name, wide);
            for (String file : List.of("net_simd.bin", "net_ctx.onnx")) {
                assertThat(again.resolve(file)).hasSameBinaryContentAs(first.resolve(file));
            }
        }
    }

    private Path compiledIn(String name, Path of) throws IOException {
        Path inner = Files.createDirectory(folder.resolve(name));
        compile(ModelInput.file(of), ModelOutput.file(inner.resolve("net_ctx.onnx")), options());
        return inner;
    }

    private static SessionOptions.Builder in(Path folder) {
        return SessionOptions.builder()
                .config("ep.context_file_path", folder.resolve("any.onnx").toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"../w", "/w", "a/../../w", "", "C:\\w"})
    void aPlacementStaysInTheFolderOfTheModel(String location) throws IOException {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(CompileOptions.of(PLAIN)
                        .placement((name, tensor, original) ->
                                new DataPlace(location, 0, tensor.segment().byteSize()))),
                "'" + location + "'",
                "no path in the folder");
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    @Rows(42)
    void whateverAPlacementThrowsIsTold() {
        assertRefused(
                Status.FAIL,
                () -> compile(CompileOptions.of(PLAIN).placement((name, tensor, original) -> {
                    throw new IllegalStateException("mine");
                })),
                "user's placement",
                "mine");
    }

    private static CompileOptions.Builder failingAt(int phase) {
        return options().progress(each -> {
            if (each.done() == phase) {
                throw new IllegalStateException("mine");
            }
        });
    }

    @Test
    void whoListensMayFailWhenAllIsWritten() throws IOException {
        assertRefused(Status.FAIL, () -> compile(failingAt(5)), "mine");
        assertThat(files()).containsExactly("net.onnx");

        CompileReport report = compile(failingAt(6));
        assertThat(report.notes()).anyMatch(note -> note.contains("mine"));
        assertAnswersAsItsSource(target);
    }
}
