package dev.millrace.epcontext;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingTest {
    private static final FileTime LONG_AGO = FileTime.from(Instant.now().minus(Duration.ofHours(1)));

    @TempDir
    private Path folder = Path.of("");

    /** What a process that was killed has left. */
    private Path left(String name, boolean locked) throws IOException {
        Path left = Files.createDirectory(folder.resolve(name));
        Files.writeString(left.resolve("model_ctx.onnx"), "half");
        if (locked) {
            Files.createFile(left.resolve(".lock"));
        }
        return aged(left);
    }

    private static Path aged(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.setLastModifiedTime(file, LONG_AGO);
            }
        }
        return Files.setLastModifiedTime(folder, LONG_AGO);
    }

    private void write() throws IOException {
        try (var staging = new Staging(folder.resolve("new.onnx"))) {
            Files.writeString(staging.place(folder.resolve("new.onnx"), true), "whole");
            staging.publish();
        }
        assertThat(folder.resolve("new.onnx")).hasContent("whole");
    }

    @Test
    void whatKilledProcessesHaveLeftIsRemovedByTheNextWriter() throws IOException {
        Path unlocked = left(".millrace-" + UUID.randomUUID(), false);
        Path locked = left(".millrace-" + UUID.randomUUID(), true);
        write();
        assertThat(unlocked).doesNotExist();
        assertThat(locked).doesNotExist();
        assertThat(folder).isDirectoryNotContaining("glob:**.millrace-*");
    }

    @Test
    void whatIsFreshInUseOrCalledOtherwiseStays() throws IOException {
        Path named = left(".millrace-cache", true);
        Path fresh = left(".millrace-" + UUID.randomUUID(), true);
        Files.writeString(fresh.resolve("model_simd.bin"), "more");
        try (var other = new Staging(folder.resolve("other.onnx"))) {
            Path place = Files.writeString(other.place(folder.resolve("other.onnx"), true), "slow");
            aged(Objects.requireNonNull(place.getParent()));
            Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
            Files.writeString(elsewhere.resolve("precious"), "mine");
            Path link = Files.createSymbolicLink(folder.resolve(".millrace-" + UUID.randomUUID()), aged(elsewhere));
            write();
            assertThat(named).isNotEmptyDirectory();
            assertThat(fresh).isNotEmptyDirectory();
            assertThat(link).exists();
            assertThat(elsewhere.resolve("precious")).hasContent("mine");
            other.publish();
        }
        assertThat(folder.resolve("other.onnx")).hasContent("slow");
    }
}
