package dev.millrace.graph.format;

import static dev.millrace.graph.format.Protos.external;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.model;
import static dev.millrace.graph.format.Protos.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExternalDataTest {
    private final Path outside;
    private final Path folder;

    ExternalDataTest(@TempDir Path outside) {
        this.outside = outside;
        this.folder = outside.resolve("models");
    }

    @BeforeEach
    void makeFiles() throws IOException {
        Files.createDirectories(folder.resolve("sub"));
        Files.write(folder.resolve("w.bin"), new byte[] {0, 1, 2, 3, 4, 5, 6, 7});
        Files.write(folder.resolve("sub").resolve("w.bin"), new byte[] {9, 8});
        Files.write(outside.resolve("secret"), new byte[] {42, 43});
    }

    @Test
    void tensorsAreSlicesOfFilesInTheFolderOfTheModel() {
        assertThat(readTensor(external("w", 3, "w.bin", "offset", "2", "length", "3", "checksum", "x"))
                        .longs())
                .containsExactly(2, 3, 4);
        assertThat(readTensor(external("w", 8, "./sub/../w.bin")).longs()).hasSize(8);
        assertThat(readTensor(external("w", 2, "sub/w.bin")).longs()).containsExactly(9, 8);
    }

    @Test
    void aModelFromMemoryTakesItsDataFromTheFolderItIsGiven() {
        byte[] bytes = proto(external("w", 8, "w.bin")).toByteArray();
        assertThat(tensor(Models.read(bytes, folder)).longs()).endsWith(7);
        assertThatThrownBy(() -> Models.read(bytes, null))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("name the folder");
    }

    @Test
    void contentsInMemoryComeBeforeFiles() throws IOException {
        MemorySegment content = MemorySegment.ofArray(new byte[] {5, 6, 7});
        byte[] bytes =
                proto(external("w", 2, "w.bin", "offset", "1", "length", "2")).toByteArray();
        var files = new ExternalFiles(null, Map.of("w.bin", content));
        Model model = Models.read(MemorySegment.ofArray(bytes), files, FileUse.READ, Models.NOBODY);
        assertThat(tensor(model).longs()).containsExactly(6, 7);
        Path file = Files.write(folder.resolve("m.onnx"), bytes);
        assertThat(tensor(Models.read(file, files, FileUse.READ, Models.NOBODY)).longs())
                .containsExactly(6, 7);
        byte[] longer = proto(external("w", 8, "w.bin")).toByteArray();
        assertThatThrownBy(() -> Models.read(MemorySegment.ofArray(longer), files, FileUse.READ, Models.NOBODY))
                .hasMessageContaining("'w.bin' has 3 bytes");
    }

    @Test
    void aTensorInPlaceOfOneInAFileFitsIt() throws IOException {
        byte[] inFolder = proto(external("w", 2, "sub/w.bin")).toByteArray();
        Tensor given = Tensor.copyOf(tensor(Models.read(inFolder, folder)));
        byte[] bytes = proto(external("w", 2, "no.bin")).toByteArray();
        var files = ExternalFiles.in(null).with(Map.of("w", given));
        assertThat(tensor(Models.read(MemorySegment.ofArray(bytes), files, FileUse.READ, Models.NOBODY)))
                .isSameAs(given);
        Path file = Files.write(folder.resolve("m.onnx"), bytes);
        assertThat(tensor(Models.read(file, files, FileUse.READ, Models.NOBODY)))
                .isSameAs(given);
        byte[] longer = proto(external("w", 8, "no.bin")).toByteArray();
        assertThatThrownBy(() -> Models.read(MemorySegment.ofArray(longer), files, FileUse.READ, Models.NOBODY))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("tensor 'w'")
                .hasMessageContaining("it is a tensor of uint8[8], and a tensor uint8[2] was given in its place");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../w.bin", "/w.bin", "sub/../../w.bin", ""})
    void contentsInMemoryHaveLocationsThatModelsCanHave(String location) {
        var contents = Map.of(location, MemorySegment.ofArray(new byte[8]));
        assertThatThrownBy(() -> new ExternalFiles(null, contents))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("no model can have external data in '" + location + "'");
    }

    @Test
    void contentsInMemoryAreReadByAnyThread() {
        try (Arena arena = Arena.ofConfined()) {
            var contents = Map.of("w.bin", arena.allocate(8));
            assertThatThrownBy(() -> new ExternalFiles(null, contents)).hasMessageContaining("only its own thread");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"../secret", "sub/../../secret", "..", "..\\secret", "sub/..\\../secret"})
    void pathsThatClimbOutOfTheFolderAreRefused(String location) {
        assertRefused(external("w", 2, location)).hasMessageContaining("External data path escapes model directory");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc/passwd", "\\secret", "C:secret", "c:\\secret", "//host/share"})
    void absolutePathsAreRefused(String location) {
        assertRefused(external("w", 2, location))
                .hasMessageContaining("Absolute path not allowed for external data location");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sub", ".", "a\0b"})
    void whatIsNoFileIsRefused(String location) {
        assertRefused(external("w", 2, location)).hasMessageContaining("is no");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0663", "+0", "\uff11", "0x1", "1_0", "", "1 2"})
    void numbersAreWrittenInDigits(String offset) {
        assertRefused(external("w", 2, "w.bin", "offset", offset)).hasMessageContaining("is no number");
        assertRefused(external("w", 2, "w.bin", "length", offset)).hasMessageContaining("is no number");
    }

    @Test
    void anEmptyOrAbsentLocationIsRefused() {
        assertRefused(external("w", 2, "")).hasMessageContaining("Empty external data path not allowed");
        assertRefused(external("w", 2, "").clearExternalData()).hasMessageContaining("Empty external data path");
    }

    @Test
    void linksMayLeadAnywhereInsideTheFolderButNotOutOfIt() throws IOException {
        Files.createSymbolicLink(folder.resolve("inside"), folder.resolve("w.bin"));
        Files.createSymbolicLink(folder.resolve("link"), outside.resolve("secret"));
        Files.createSymbolicLink(folder.resolve("up"), outside);
        assertThat(readTensor(external("w", 8, "inside")).longs()).hasSize(8);
        assertRefused(external("w", 2, "link")).hasMessageContaining("External data path escapes model directory");
        assertRefused(external("w", 2, "up/secret")).hasMessageContaining("External data path escapes model directory");
    }

    @Test
    void aModelThatIsALinkMayHaveItsDataBesideItsTarget() throws IOException {
        Path blobs = Files.createDirectory(outside.resolve("blobs"));
        Path snapshot = Files.createDirectory(outside.resolve("snapshot"));
        Files.write(blobs.resolve("1"), proto(external("w", 2, "model.data")).toByteArray());
        Files.write(blobs.resolve("2"), new byte[] {5, 6});
        Files.createSymbolicLink(snapshot.resolve("model.onnx"), blobs.resolve("1"));
        Files.createSymbolicLink(snapshot.resolve("model.data"), blobs.resolve("2"));
        assertThat(tensor(Models.read(snapshot.resolve("model.onnx"))).longs()).containsExactly(5, 6);
    }

    @Test
    void aMissingFileIsNamed() {
        assertThatThrownBy(() -> readTensor(external("w", 2, "gone.bin")))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NO_SUCH_FILE))
                .hasMessageContaining("gone.bin")
                .hasMessageContaining("tensor 'w'");
    }

    @Test
    void rangesOutsideTheFileAreRefused() {
        assertRefused(external("w", 9, "w.bin")).hasMessageContaining("8 bytes");
        assertRefused(external("w", 2, "w.bin", "offset", "7")).hasMessageContaining("offset 7");
        assertRefused(external("w", 2, "w.bin", "offset", "-1")).hasMessageContaining("offset -1");
        assertRefused(external("w", 2, "w.bin", "offset", Long.toString(Long.MAX_VALUE)))
                .hasMessageContaining("outside");
        assertRefused(external("w", 2, "w.bin", "offset", "99999999999999999999"))
                .hasMessageContaining("no number");
        assertRefused(external("w", 2, "w.bin", "length", "3")).hasMessageContaining("claims 3 bytes");
        assertRefused(external("w", Long.MAX_VALUE, "w.bin")).hasMessageContaining("outside");
    }

    @Test
    void dataMayLieBeyondFourGigabytes() throws IOException {
        long offset = 5L << 30;
        try (var file = new RandomAccessFile(folder.resolve("large.bin").toFile(), "rw")) {
            file.seek(offset);
            file.write(new byte[] {11, 12});
        }
        assertThat(readTensor(external("w", 2, "large.bin", "offset", Long.toString(offset)))
                        .longs())
                .containsExactly(11, 12);
    }

    private Tensor readTensor(TensorProto.Builder tensor) {
        Path file = folder.resolve("model.onnx");
        try {
            Files.write(file, proto(tensor).toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return tensor(Models.read(file));
    }

    private static ModelProto proto(TensorProto.Builder tensor) {
        return model(graph(List.of("x"), List.of("y"), node("Add", List.of("x", "w"), List.of("y")))
                        .addInitializer(tensor))
                .build();
    }

    private static Tensor tensor(Model model) {
        return Objects.requireNonNull(
                model.graph().constants().iterator().next().constant());
    }

    private AbstractThrowableAssert<?, ?> assertRefused(TensorProto.Builder tensor) {
        return assertThatThrownBy(() -> readTensor(tensor))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH));
    }
}
