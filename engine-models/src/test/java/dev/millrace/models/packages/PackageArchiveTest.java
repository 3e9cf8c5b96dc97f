package dev.millrace.models.packages;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.models.packages.PackageArchive.Entry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the files that are taken out of packages, and of those that are not. */
class PackageArchiveTest {
    private static final byte[] CONTENT = "a model".getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder = Path.of("");

    private Path cached = Path.of("");

    @BeforeEach
    void makeCache() throws IOException {
        cached = Files.createDirectory(folder.resolve("cache"));
    }

    private static Entry entry(byte[] content) throws Exception {
        String digest =
                HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
        return new Entry("models/toy.onnx", content.length, digest);
    }

    private Path copied(Path archive) throws Exception {
        Path to = cached.resolve("toy.onnx");
        new PackageArchive("npm:toy@1", archive).copy(entry(CONTENT), to);
        return to;
    }

    private Path jar(String entry, byte[] content) throws IOException {
        Path jar = folder.resolve("toy.jar");
        try (var out = new ZipOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry(entry));
            out.write(content);
        }
        return jar;
    }

    private Path tgz(String size, byte[] content) throws IOException {
        return tgz(tar("models/toy.onnx", size, content));
    }

    private static byte[] tar(String entry, String size, byte[] content) {
        byte[] header = new byte[512];
        put(header, 0, "package/" + entry);
        put(header, 124, size);
        var tar = new ByteArrayOutputStream();
        tar.writeBytes(header);
        tar.writeBytes(Arrays.copyOf(content, (content.length + 511) / 512 * 512));
        return tar.toByteArray();
    }

    private Path tgz(byte[]... entries) throws IOException {
        Path tgz = folder.resolve("toy.tgz");
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(tgz))) {
            for (byte[] entry : entries) {
                out.write(entry);
            }
        }
        return tgz;
    }

    private static void put(byte[] header, int at, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        System.arraycopy(bytes, 0, header, at, bytes.length);
    }

    private void refused(Path archive, String message) {
        assertThatThrownBy(() -> copied(archive))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
        assertThat(cached).isEmptyDirectory();
    }

    @Test
    void theFileThatIsExpectedIsKept() throws Exception {
        Path file = copied(jar("models/toy.onnx", CONTENT));
        assertThat(file).hasBinaryContent(CONTENT);
        Files.delete(file);
        String size = Integer.toOctalString(CONTENT.length);
        copied(tgz(tar("first.txt", size, CONTENT), tar("models/toy.onnx", size, CONTENT)));
        assertThat(file).hasBinaryContent(CONTENT);
    }

    @Test
    void anotherContentIsRefused() throws Exception {
        byte[] other = "a mödl".getBytes(StandardCharsets.UTF_8);
        refused(jar("models/toy.onnx", other), "SHA-256");
        refused(tgz(Integer.toOctalString(other.length), other), "SHA-256");
    }

    @Test
    void whatIsLargerThanExpectedIsNotUnpackedToItsEnd() throws Exception {
        byte[] bomb = new byte[50_000_000];
        refused(jar("models/toy.onnx", bomb), "larger than its 7 bytes");
        refused(tgz(Integer.toOctalString(bomb.length), bomb), "larger than its 7 bytes");
    }

    @Test
    void aPackageWithoutTheFileIsTold() throws Exception {
        Path archive = jar("models/other.onnx", CONTENT);
        assertThatThrownBy(() -> copied(archive))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("there is no models/toy.onnx in npm:toy@1");
    }

    @Test
    void aDamagedTarIsTold() throws Exception {
        for (String size : List.of("-7", "seven", "")) {
            refused(tgz(size, CONTENT), "a file's size is '" + size + "'");
        }
        refused(tgz("7777", CONTENT), "");
    }
}
