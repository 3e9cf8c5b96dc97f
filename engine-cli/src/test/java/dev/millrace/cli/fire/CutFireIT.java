package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.memory.MappingGuard;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mapped files that are cut short under sessions: in a JVM of its own, so that a crash is a test that fails. */
@Tag("fuzz")
@Tag("slow")
class CutFireIT {
    private static final int GRACE_MINUTES = 5;
    /** Fewer tries would not show both outcomes, an answer and a refusal. */
    private static final int FEWEST = 4;
    /** So many rows are 42 MB. */
    private static final int MANY = 165_000;

    private static final int FEW = 6_000;

    @ParameterizedTest
    @CsvSource({
        "model,simd," + FEW + ",60",
        "model,cpu," + FEW + ",60",
        "data,simd," + FEW + ",60",
        "data,cpu," + FEW + ",60",
        "context,simd," + FEW + ",60",
        "model,simd," + MANY + ",4",
        "data,simd," + MANY + ",4",
        "data,cpu," + MANY + ",4",
        "context,simd," + MANY + ",4"
    })
    void theProcessLivesAndNothingWrongIsAnswered(
            String kind, String provider, int rows, int tries, @TempDir Path folder)
            throws IOException, InterruptedException {
        assumeTrue(MappingGuard.isThere(), "there is no guard on this system");
        int times = Math.max(Fire.times(tries), FEWEST);
        String output = new OwnJvm(CutFire.class, kind, provider, times, rows, Fire.SEED, folder)
                .options("-Xmx1g", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + folder.resolve("crash.log"))
                .within(Duration.ofMinutes((long) GRACE_MINUTES * Math.ceilDiv(times, tries)))
                .output();
        System.out.print(output);
        assertThat(output).contains(kind + " of " + provider + ": ").doesNotContain(" 0 answered", " 0 refused");
    }
}
