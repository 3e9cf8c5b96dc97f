package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What goes away while machine code reads it: in a JVM of its own, so that a crash is a test that fails.
 */
class MachineFireIT {
    private static final int TIMES = Integer.getInteger("millrace.fire.times", 1);
    private static final int GRACE_MINUTES = 5;

    @ParameterizedTest
    @CsvSource({"arenas,300", "interrupts,300", "replaced,40", "truncated,40"})
    void theProcessLives(String what, int tries, @TempDir Path folder) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:-CreateCoredumpOnCrash",
                        "-XX:ErrorFile=" + folder.resolve("crash.log"),
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        MachineFire.class.getName(),
                        what,
                        Integer.toString(tries * TIMES),
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
        assertThat(output).contains(what + ": ").doesNotContain(" 0 answered", "Exception");
    }
}
