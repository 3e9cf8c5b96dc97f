package dev.millrace.epcontext.binary;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.Staging;
import dev.millrace.epcontext.cache.CacheManifest;
import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Content is on the disk before its name is, and the name before anybody is told. */
class DiskTest {
    private final List<String> steps = new ArrayList<>();

    @TempDir
    private Path folder = Path.of("");

    private final Disk recorded = new Disk() {
        @Override
        public void forceFile(Path file) throws IOException {
            steps.add("content of " + plain(file));
            SYSTEM.forceFile(file);
        }

        @Override
        public void link(Path from, Path to) throws IOException {
            steps.add("name " + to.getFileName());
            SYSTEM.link(from, to);
        }

        @Override
        public void replace(Path from, Path to) throws IOException {
            steps.add("name " + to.getFileName());
            SYSTEM.replace(from, to);
        }

        @Override
        public void forceFolder(Path named) throws IOException {
            steps.add(named.equals(folder) ? "names" : "names of " + named);
            SYSTEM.forceFolder(named);
        }
    };

    /** The name without what makes an unfinished file's unique. */
    private static String plain(Path file) {
        return file.getFileName().toString().replaceAll("-.*", "");
    }

    private void stage(Disk disk, boolean replaces) throws IOException {
        Path model = folder.resolve("model.onnx");
        Path binary = folder.resolve("model.bin");
        try (var staging = new Staging(model, disk)) {
            Files.writeString(staging.place(binary, replaces), "weights");
            Files.writeString(staging.place(model, replaces), "graph");
            staging.publish();
        }
    }

    private void write(Disk disk) throws IOException {
        new CacheManifest("12 ab", "settings", 1, List.of()).write(folder, disk);
    }

    @Test
    void whatIsPublishedIsOnTheDiskBeforeItHasItsName() throws IOException {
        stage(recorded, false);
        stage(recorded, true);
        List<String> once =
                List.of("content of model.bin", "content of model.onnx", "name model.bin", "name model.onnx", "names");
        assertThat(steps).isEqualTo(Stream.concat(once.stream(), once.stream()).toList());
    }

    @Test
    void aCachesManifestIsOnTheDiskBeforeItHasItsName() throws IOException {
        write(recorded);
        assertThat(steps).containsExactly("content of manifest", "name manifest", "names");
        assertThat(CacheManifest.read(folder)).isNotNull();
    }

    @Test
    void whatCannotBeForcedIsNotPublished() throws IOException {
        Disk broken = new Disk() {
            @Override
            public void forceFile(Path file) throws IOException {
                throw new IOException("the disk is broken");
            }

            @Override
            public void link(Path from, Path to) {
                throw new AssertionError("nothing was to be named");
            }

            @Override
            public void replace(Path from, Path to) {
                throw new AssertionError("nothing was to be named");
            }

            @Override
            public void forceFolder(Path named) {
                throw new AssertionError("nothing was to be named");
            }
        };
        assertThatThrownBy(() -> write(broken)).isInstanceOf(IOException.class).hasMessageContaining("is broken");
        assertThatThrownBy(() -> stage(broken, true))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("is broken");
        assertThat(folder).isEmptyDirectory();
    }
}
