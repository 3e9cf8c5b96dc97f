package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of memory and files that go away while machine code reads them, in a JVM of its own, so
 * that a crash is a test that fails.
 */
@Tag("fuzz")
@Tag("slow")
class MachineFireIT {
    private static final int GRACE_MINUTES = 5;

    @ParameterizedTest
    @CsvSource({"arenas,300", "interrupts,300", "replaced,40", "truncated,40"})
    void theProcessLives(String what, int tries, @TempDir Path folder) throws IOException, InterruptedException {
        int times = Fire.times(tries);
        String output = new OwnJvm(MachineFire.class, what, times, Fire.SEED, folder)
                .options("-Xmx512m", "-XX:-CreateCoredumpOnCrash", "-XX:ErrorFile=" + folder.resolve("crash.log"))
                .within(Duration.ofMinutes((long) GRACE_MINUTES * Math.ceilDiv(times, tries)))
                .output();
        System.out.print(output);
        assertThat(output).contains(what + ": ").doesNotContain(" 0 answered", "Exception");
    }
}
