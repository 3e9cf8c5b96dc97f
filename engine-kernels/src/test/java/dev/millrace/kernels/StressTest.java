package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code is emitted and freed while other code runs, under collectors that move objects meanwhile. */
class StressTest {
    static final String SECONDS_PROPERTY = "millrace.test.stress.seconds";

    private static final int SECONDS = 4;
    private static final int GRACE_SECONDS = 120;

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseZGC", "-XX:+UseG1GC"})
    @EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
    void kernelsAreEmittedAndFreedWhileOthersRun(String collector) throws IOException, InterruptedException {
        int seconds = Integer.getInteger(SECONDS_PROPERTY, SECONDS);
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        collector,
                        "-Xmx192m",
                        "-XX:-CreateCoredumpOnCrash",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Stress.class.getName(),
                        Integer.toString(seconds))
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(seconds + GRACE_SECONDS, TimeUnit.SECONDS), output);
        System.out.print(collector + ": " + output);
        assertEquals(0, process.exitValue(), output);
    }
}
