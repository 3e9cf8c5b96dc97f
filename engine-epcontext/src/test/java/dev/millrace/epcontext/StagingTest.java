package dev.millrace.epcontext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingTest {
    private static final FileTime LONG_AGO = FileTime.from(Instant.now().minus(Duration.ofHours(1)));

    @TempDir
    private Path folder = Path.of("");

    /** Creates a folder as a process that was killed leaves it. */
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

    /** Writes two files that belong together, such as a model and its binary. */
    private void writePair(String content, boolean replaces) throws IOException {
        Path model = folder.resolve("net_ctx.onnx");
        Path binary = folder.resolve("net.bin");
        try (var staging = new Staging(model)) {
            Files.writeString(staging.place(binary, true), content);
            Files.writeString(staging.place(model, replaces), content);
            staging.publish();
        }
    }

    private String read(String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    @Test
    void whoIsTooLateReplacesNothingOfWhatTheFasterOneWrote() throws IOException {
        writePair("fast", false);
        assertThatThrownBy(() -> writePair("slow", false))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("exists already");
        assertThat(folder.resolve("net.bin")).hasContent("fast");
        assertThat(folder).isDirectoryNotContaining("glob:**.millrace*");
    }

    @Test
    void filesOfWritersAtATimeDoNotMix() throws Exception {
        try (var executor = Executors.newFixedThreadPool(4)) {
            for (int round = 0; round < 25; round++) {
                boolean replaces = round % 2 == 0;
                var writers = new ArrayList<Callable<Boolean>>();
                for (int i = 0; i < 4; i++) {
                    String content = round + " " + i;
                    writers.add(() -> hasWritten(content, replaces));
                }
                int written = 0;
                for (Future<Boolean> writer : executor.invokeAll(writers)) {
                    written += writer.get() ? 1 : 0;
                }
                assertThat(written).isEqualTo(replaces ? 4 : 1);
                assertThat(read("net.bin")).isEqualTo(read("net_ctx.onnx"));
                if (replaces) {
                    Files.delete(folder.resolve("net_ctx.onnx"));
                }
            }
        }
        assertThat(folder).isDirectoryNotContaining("glob:**.millrace*");
    }

    @Test
    void whoIsInterruptedWritesNothingUntilItIsTriedAgain() throws IOException {
        Path model = folder.resolve("net_ctx.onnx");
        try (var staging = new Staging(model)) {
            Files.writeString(staging.place(model, false), "whole");
            Thread.currentThread().interrupt();
            assertThatThrownBy(staging::publish).isInstanceOf(EngineException.class);
            assertThat(Thread.interrupted()).isTrue();
            assertThat(model).doesNotExist();
            staging.publish();
        }
        assertThat(model).hasContent("whole");
        assertThat(folder).isDirectoryNotContaining("glob:**.millrace*");
    }

    private boolean hasWritten(String content, boolean replaces) throws IOException {
        try {
            writePair(content, replaces);
            return true;
        } catch (EngineException e) {
            assertThat(e).hasMessageContaining("exists already");
            return false;
        }
    }
}
