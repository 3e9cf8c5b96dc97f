package dev.millrace.session.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import dev.millrace.session.Rows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that is larger than the heap, by default 600 MB of one that {@value #BYTES_PROPERTY} makes larger. */
@Tag("slow")
class LargeModelIT {
    static final String BYTES_PROPERTY = "millrace.test.large.bytes";

    private static final long BYTES = Long.getLong(BYTES_PROPERTY, 600_000_000L);

    @Test
    @Rows(64)
    void aModelCompilesAndRunsInAHeapThatHasNoRoomForItsWeights(@TempDir Path folder)
            throws IOException, InterruptedException {
        Assumptions.assumeTrue(
                Files.getFileStore(folder).getUsableSpace() > 3 * BYTES, "there is no room for the model");
        String output = new OwnJvm(LargeModelMain.class, folder, BYTES)
                .options(BYTES < 1L << 30 ? "-Xmx64m" : "-Xmx512m")
                .output();
        assertThat(folder.resolve("large_simd.bin").toFile().length()).isGreaterThanOrEqualTo(BYTES);
        assertThat(output)
                .containsPattern("answers (\\S+) where \\1 is right")
                .containsPattern("from memory (\\S+) where \\1 is right");
    }
}
