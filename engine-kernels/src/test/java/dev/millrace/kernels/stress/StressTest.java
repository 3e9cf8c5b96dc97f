package dev.millrace.kernels.stress;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.kernels.ChildJvm;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Code is emitted and freed while other code runs, under collectors that move objects meanwhile. */
@Tag("slow")
class StressTest {
    static final String SECONDS_PROPERTY = "millrace.test.stress.seconds";

    private static final int SECONDS = 4;
    private static final int GRACE_SECONDS = 120;

    @ParameterizedTest
    @ValueSource(strings = {"-XX:+UseZGC", "-XX:+UseG1GC"})
    @EnabledIf("dev.millrace.codegen.code.Machine#runsCode")
    void kernelsAreEmittedAndFreedWhileOthersRun(String collector) throws IOException, InterruptedException {
        int seconds = TestScale.count(SECONDS_PROPERTY, SECONDS);
        String output = ChildJvm.output(
                Stress.class, List.of(collector, "-Xmx192m"), seconds + GRACE_SECONDS, Integer.toString(seconds));
        System.out.print(collector + ": " + output);
    }
}
