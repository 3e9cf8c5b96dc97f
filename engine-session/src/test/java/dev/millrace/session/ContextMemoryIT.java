package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.EpContextOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much of a context binary is in memory, and how often. */
class ContextMemoryIT {
    private static final int PROCESSES = 4;

    @TempDir
    private Path folder = Path.of("");

    private Path context = Path.of("");
    private Path binary = Path.of("");

    @BeforeEach
    void look() {
        Assumptions.assumeTrue(Smaps.areThere(), "without /proc/self/smaps nothing can be seen of pages");
        context = folder.resolve("minilm_ctx.onnx");
        binary = folder.resolve("minilm_simd.bin");
    }

    private void generate() throws IOException {
        EpContextOptions written =
                EpContextOptions.builder().enable(true).filePath(context).build();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            engine.session(
                            MiniLm.file(),
                            SessionOptions.builder().epContext(written).build())
                    .close();
        }
    }

    @Test
    void beforeTheFirstRunNextToNothingOfTheWeightsIsInMemory() throws IOException {
        generate();
        try (var held = new HeldSession(context, "")) {
            held.await("opened");
            long opened = Smaps.of(held.pid(), binary, "Rss");
            held.goOn();
            held.await("run");
            long run = Smaps.of(held.pid(), binary, "Rss");
            System.out.printf(
                    "context of MiniLM: %d KiB of %d in memory when opened, %d KiB after a run%n",
                    opened >> 10, Files.size(binary) >> 10, run >> 10);
            assertThat(opened).isLessThan(Files.size(binary) / 10);
            assertThat(run).isGreaterThan(opened);
        }
    }

    @Test
    void fourProcessesHoldTheWeightsOnce() throws IOException {
        generate();
        var all = new ArrayList<HeldSession>();
        try {
            for (int i = 0; i < PROCESSES; i++) {
                all.add(new HeldSession(context, ""));
            }
            for (HeldSession each : all) {
                each.await("opened");
                each.goOn();
                each.await("run");
            }
            long one = Smaps.of(all.getFirst().pid(), binary, "Rss");
            long together = 0;
            for (HeldSession each : all) {
                together += Smaps.of(each.pid(), binary, "Pss");
                assertThat(Smaps.total(each.pid(), "Anonymous"))
                        .as("memory of its own")
                        .isLessThan(Smaps.total(all.getFirst().pid(), "Anonymous") + Files.size(binary) / 2);
            }
            System.out.printf(
                    "context of MiniLM: %d KiB of its binary in %d processes, %d KiB in one; %d KiB of its own in"
                            + " one%n",
                    together >> 10,
                    PROCESSES,
                    one >> 10,
                    Smaps.total(all.getFirst().pid(), "Anonymous") >> 10);
            assertThat(together).isLessThan(one * 13 / 10);
        } finally {
            all.forEach(HeldSession::close);
        }
    }

    @Test
    void whoHasCompiledMapsWhatItPublishedAndLetsGoOfWhatItPacked() throws IOException {
        var own = new ArrayList<Long>();
        for (boolean compiles : List.of(true, false)) {
            Path model = compiles ? MiniLm.file().toAbsolutePath() : context;
            try (var held = new HeldSession(model, compiles ? context.toString() : "")) {
                held.await("opened");
                held.goOn();
                held.await("run");
                own.add(Smaps.total(held.pid(), "Anonymous"));
                assertThat(Smaps.of(held.pid(), binary, "Rss")).isGreaterThan(Files.size(binary) / 3);
            }
        }
        System.out.printf(
                "memory of its own: %d KiB of who has compiled, %d KiB of who opens that%n",
                own.getFirst() >> 10, own.getLast() >> 10);
        assertThat(own.getFirst() - own.getLast()).isLessThan(Files.size(binary) / 2);
    }
}
