package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jcstress tests of this module: what threads do to each other in the pools, caches and gates that are shared. How
 * long each of them goes on, in milliseconds, is the property {@value #MILLIS_PROPERTY}.
 */
class StressIT {
    static final String MILLIS_PROPERTY = "millrace.test.stress.millis";

    private static final int MILLIS = 250;

    @Test
    void nothingIsSeenThatMayNotBe(@TempDir Path folder) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        "org.openjdk.jcstress.Main",
                        "-m",
                        "quick",
                        "-sc",
                        "false",
                        "-af",
                        "NONE",
                        "-f",
                        "1",
                        "-fsm",
                        "1",
                        "-iters",
                        "3",
                        "-time",
                        Integer.getInteger(MILLIS_PROPERTY, MILLIS).toString(),
                        "-jvmArgs",
                        "-Xmx512m --enable-native-access=ALL-UNNAMED",
                        "-r",
                        folder.resolve("report").toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("Failed tests: No matches", "Error tests: No matches")
                .doesNotContain("0 matching test results");
    }
}
