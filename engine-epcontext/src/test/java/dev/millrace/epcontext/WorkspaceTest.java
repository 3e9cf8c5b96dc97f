package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.bytes;
import static dev.millrace.epcontext.Fixtures.utf8;
import static dev.millrace.epcontext.Fixtures.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.providers.spi.CompiledGraph;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkspaceTest {
    @TempDir
    Path folder;

    private final Workspaces workspaces = new Workspaces();

    private Path binary(String name, String... partitions) {
        Path file = folder.resolve(name);
        writer(partitions).write(file);
        return file;
    }

    @Test
    void sessionsThatNameOneFileShareItByAnyPathToIt() throws Exception {
        Path file = binary("a.bin", "a");
        Files.createDirectory(folder.resolve("sub"));
        Workspace workspace = workspaces.of("fast");

        try (var first = workspace.open(file, FileUse.READ);
                var second = workspace.open(folder.resolve("sub/../a.bin"), FileUse.READ)) {
            assertThat(second.binary()).isSameAs(first.binary());
            assertThat(workspace.openFiles()).isOne();
        }
        assertThat(workspace.openFiles()).isZero();
        assertThat(workspaces.of("fast")).isSameAs(workspace);
        assertThat(workspaces.of("other")).isNotSameAs(workspace);
    }

    @Test
    void everyOrderOfClosingIsRight() {
        Path file = binary("a.bin", "a");
        Workspace workspace = workspaces.of("fast");
        for (int seed = 0; seed < 20; seed++) {
            List<Workspace.Handle> handles = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                handles.add(workspace.open(file, FileUse.READ));
            }
            Collections.shuffle(handles, new Random(seed));
            for (Workspace.Handle handle : handles) {
                assertThat(workspace.openFiles()).isOne();
                handle.close();
                handle.close();
            }
            assertThat(workspace.openFiles()).isZero();
        }
    }

    @Test
    void whatWasGivenOutStaysReadableAfterTheLastClose() {
        Workspace.Handle handle = workspaces.of("fast").open(binary("a.bin", "a"), FileUse.READ);
        CompiledGraph graph = handle.binary().graph(0);
        handle.close();

        assertThat(bytes(graph.segment(0))).isEqualTo(utf8("weights of a"));
    }

    @Test
    void aReplacedFileIsAnotherFile() {
        Path file = binary("a.bin", "old");
        try (var before = workspaces.of("fast").open(file, FileUse.READ)) {
            binary("a.bin", "young", "newer");
            try (var after = workspaces.of("fast").open(file, FileUse.READ)) {
                assertThat(after.binary().partitions()).containsExactly("young", "newer");
                assertThat(before.binary().partitions()).containsExactly("old");
                assertThat(bytes(before.binary().graph(0).segment(0))).isEqualTo(utf8("weights of old"));
                assertThat(workspaces.of("fast").openFiles()).isEqualTo(2);
            }
        }
    }

    @Test
    void aFileThatCannotBeOpenedIsNotKept() throws Exception {
        Path broken = Files.write(folder.resolve("broken.bin"), new byte[1000]);

        for (Path file : List.of(broken, folder.resolve("missing.bin"))) {
            assertThatThrownBy(() -> workspaces.of("fast").open(file, FileUse.READ))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                    .hasMessageContaining(file.toString());
        }
        assertThat(workspaces.of("fast").openFiles()).isZero();
    }

    @Test
    void threadsThatOpenAndCloseAtOnceShareAndLeaveNothing() throws Exception {
        List<Path> files = List.of(binary("a.bin", "a"), binary("b.bin", "b"), binary("c.bin", "c"));
        Workspace workspace = workspaces.of("fast");
        int threads = 4;
        var together = new CyclicBarrier(threads);
        try (var executor = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> all = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                var random = new Random(t);
                all.add(executor.submit(() -> {
                    together.await();
                    for (int round = 0; round < 500; round++) {
                        Path file = files.get(random.nextInt(files.size()));
                        try (var one = workspace.open(file, FileUse.READ);
                                var two = workspace.open(file, FileUse.READ)) {
                            assertThat(two.binary()).isSameAs(one.binary());
                            String name = one.binary().partitions().getFirst();
                            assertThat(bytes(two.binary().graph(0).plan())).isEqualTo(utf8("plan of " + name));
                        }
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
        }
        assertThat(workspace.openFiles()).isZero();
    }
}
