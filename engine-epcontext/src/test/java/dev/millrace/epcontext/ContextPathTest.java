package dev.millrace.epcontext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ContextPathTest {
    @TempDir
    Path root;

    private Path model;

    @BeforeEach
    void makeFiles() throws IOException {
        Files.createDirectories(root.resolve("models/sub"));
        Path folder = root.resolve("models");
        model = Files.createFile(folder.resolve("m.onnx"));
        Files.createFile(folder.resolve("x.bin"));
        Files.createFile(folder.resolve("sub/y.bin"));
        Files.createFile(root.resolve("outside.bin"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x.bin", "./x.bin", "sub/y.bin", "sub\\y.bin", "sub//y.bin"})
    void filesInTheModelsFolderAreFound(String name) throws IOException {
        Path found = ContextPath.locate(ContextPath.BINARY, name, model);

        assertThat(found).isRegularFile().isEqualTo(found.toRealPath());
        assertThat(found).startsWith(root.resolve("models").toRealPath());
    }

    @ParameterizedTest
    @CsvSource({
        "'', is empty",
        "/etc/passwd, is absolute",
        "\\x.bin, is absolute",
        "//server/share/x.bin, is absolute",
        "C:\\x.bin, is absolute",
        "C:x.bin, is absolute",
        "c:/x.bin, is absolute",
        "../outside.bin, escapes model directory",
        "sub/../../outside.bin, escapes model directory",
        "sub\\..\\..\\outside.bin, escapes model directory",
        "sub/../x.bin, escapes model directory",
        "., must refer to a file",
        ".., must refer to a file",
        "sub/.., must refer to a file",
        "sub/., must refer to a file",
        "sub/, must refer to a file",
        "sub, must refer to a file",
        "missing.bin, does not exist",
        "sub/missing.bin, does not exist"
    })
    void allElseIsRefusedWithTheReason(String name, String reason) {
        assertThatThrownBy(() -> ContextPath.locate(ContextPath.BINARY, name, model))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContaining("ep_cache_context '" + name + "'")
                .hasMessageContaining(reason);
    }

    @Test
    void aNameWithAZeroByteIsRefused() {
        assertThatThrownBy(() -> ContextPath.locate(ContextPath.BINARY, "x\0.bin", model))
                .isInstanceOf(EngineException.class);
    }

    @Test
    void theMissingFileIsNamed() {
        assertThatThrownBy(() -> ContextPath.locate(ContextPath.BINARY, "gone.bin", model))
                .hasMessageContaining(model.resolveSibling("gone.bin").toString());
    }

    @Test
    void aModelWithoutAPlaceNeedsOne() {
        assertThatThrownBy(() -> ContextPath.locate(ContextPath.BINARY, "x.bin", null))
                .hasMessageContaining("requires a model path")
                .hasMessageContaining("ep.context_file_path");
    }

    @Test
    void symbolicLinksMayNotLeadOut() throws IOException {
        link(root.resolve("models/link.bin"), root.resolve("outside.bin"));
        link(root.resolve("models/up"), root);
        link(root.resolve("models/inside.bin"), root.resolve("models/x.bin"));

        assertThatThrownBy(() -> ContextPath.locate(ContextPath.BINARY, "link.bin", model))
                .hasMessageContaining("escapes model directory");
        assertThatThrownBy(() -> ContextPath.locate(ContextPath.BINARY, "up/outside.bin", model))
                .hasMessageContaining("escapes model directory");
        assertThat(ContextPath.locate(ContextPath.BINARY, "inside.bin", model)).hasFileName("x.bin");
    }

    /** Download caches make every file a link into one folder of contents. */
    @Test
    void aModelThatIsALinkMayHaveItsBinaryWhereItLeads() throws IOException {
        Path cache = Files.createDirectory(root.resolve("cache"));
        link(cache.resolve("m.onnx"), model);
        link(cache.resolve("x.bin"), root.resolve("models/x.bin"));
        link(cache.resolve("out.bin"), root.resolve("outside.bin"));

        assertThat(ContextPath.locate(ContextPath.BINARY, "x.bin", cache.resolve("m.onnx")))
                .exists();
        assertThatThrownBy(() -> ContextPath.locate(ContextPath.BINARY, "out.bin", cache.resolve("m.onnx")))
                .hasMessageContaining("escapes model directory");
    }

    private static void link(Path link, Path target) {
        try {
            Files.createSymbolicLink(link, target);
        } catch (IOException | UnsupportedOperationException e) {
            Assumptions.abort("the file system has no symbolic links: " + e);
        }
    }
}
