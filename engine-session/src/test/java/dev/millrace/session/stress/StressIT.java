package dev.millrace.session.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jcstress tests of this module: what threads do to each other in the pools, caches and gates that are shared. How
 * long each of them goes on, in milliseconds, is the property {@value #MILLIS_PROPERTY}.
 */
@Tag("slow")
class StressIT {
    static final String MILLIS_PROPERTY = "millrace.test.stress.millis";

    private static final int MILLIS = 250;

    @Test
    void nothingIsSeenThatMayNotBe(@TempDir Path folder) throws IOException, InterruptedException {
        int millis = TestScale.count(MILLIS_PROPERTY, MILLIS);
        var modes = List.of("-m", "quick", "-sc", "false", "-af", "NONE", "-f", "1", "-fsm", "1", "-iters", "3");
        var arguments = new ArrayList<Object>(modes);
        arguments.addAll(List.of("-time", millis, "-jvmArgs", "-Xmx512m --enable-native-access=ALL-UNNAMED"));
        arguments.addAll(List.of("-r", folder.resolve("report")));
        String output = new OwnJvm("org.openjdk.jcstress.Main", arguments.toArray())
                .in(folder)
                .output();
        assertThat(output)
                .contains("Failed tests: No matches", "Error tests: No matches")
                .doesNotContain(" 0 matching test results");
    }
}
