package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.memory.MappingGuard;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mapped files that are cut short under sessions: in a JVM of its own, so that a crash is a test that fails. */
class CutFireIT {
    private static final int TIMES = Integer.getInteger("millrace.fire.times", 1);
    private static final int GRACE_MINUTES = 5;
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
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx1g",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + folder.resolve("crash.log"),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CutFire.class.getName(),
                        kind,
                        provider,
                        Integer.toString(tries * TIMES),
                        Integer.toString(rows),
                        Long.toString(Fire.SEED),
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor((long) GRACE_MINUTES * TIMES, TimeUnit.MINUTES))
                .as(output)
                .isTrue();
        System.out.print(output);
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains(kind + " of " + provider + ": ").doesNotContain(" 0 answered", " 0 refused");
    }
}
