package dev.millrace.graph.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnResourceTest {
    @TempDir
    Path folder;

    /** A class that tests put into archives. */
    public static final class Beside {}

    private static final String CLASS = Beside.class.getName().replace('.', '/') + ".class";
    private static final String TEXT = "dev/millrace/graph/op/beside.txt";

    private Path archive(String name, String... entries) throws IOException {
        Path file = folder.resolve(name);
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (String entry : entries) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write(entry.equals(CLASS) ? classBytes() : ("in " + name).getBytes(StandardCharsets.UTF_8));
            }
        }
        return file;
    }

    private static byte[] classBytes() throws IOException {
        try (InputStream in = Beside.class.getClassLoader().getResourceAsStream(CLASS)) {
            return Objects.requireNonNull(in).readAllBytes();
        }
    }

    private static String text(Path... classPath) throws Exception {
        var urls = new URL[classPath.length];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = classPath[i].toUri().toURL();
        }
        try (var loader = new URLClassLoader(urls, null)) {
            return OwnResource.text(Class.forName(Beside.class.getName(), false, loader), "beside.txt");
        }
    }

    @Test
    void theArchiveOfTheClassIsAskedFirst() throws Exception {
        Path other = archive("other.jar", TEXT);
        assertThat(text(other, archive("the one, 100%.jar", CLASS, TEXT))).isEqualTo("in the one, 100%.jar");
    }

    @Test
    void whatTheArchiveLacksIsLookedForOnTheClassPath() throws Exception {
        assertThat(text(archive("one.jar", CLASS), archive("other.jar", TEXT))).isEqualTo("in other.jar");
    }

    @Test
    void archivesOfAnotherNameAndFoldersAreAskedByName() throws Exception {
        assertThat(text(archive("one.zip", CLASS, TEXT))).isEqualTo("in one.zip");
        Path classes = folder.resolve("classes");
        Files.createDirectories(classes.resolve(TEXT).getParent());
        Files.write(classes.resolve(CLASS), classBytes());
        Files.writeString(classes.resolve(TEXT), "in a folder");
        assertThat(text(classes)).isEqualTo("in a folder");
    }

    @Test
    void aPlaceThatIsNoAddressIsAskedByName() throws Exception {
        Path one = archive("the one.jar", CLASS, TEXT);
        @SuppressWarnings("deprecation")
        URL place = one.toFile().toURL();
        try (var loader = new URLClassLoader(new URL[] {place}, null)) {
            Class<?> beside = Class.forName(Beside.class.getName(), false, loader);
            assertThat(OwnResource.text(beside, "beside.txt")).isEqualTo("in the one.jar");
        }
    }

    @Test
    void whatIsNowhereIsMissed() throws Exception {
        Path archive = archive("one.jar", CLASS);
        assertThatThrownBy(() -> text(archive))
                .isInstanceOf(FileNotFoundException.class)
                .hasMessageContaining("beside.txt");
    }
}
