package dev.millrace.session.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nobody waits on a run thread where subscribers are told: BlockHound watches, in processes of its own. */
class BlockingIT {
    private static List<String> watched(Object... arguments) throws IOException, InterruptedException {
        Process process = new OwnJvm(WatchedStreams.class, arguments)
                // BlockHound adds methods to classes of the JDK
                .options("-XX:+AllowRedefinitionToAddDeleteMethods", "-XX:+EnableDynamicAgentLoading", "-Xmx512m")
                .builder()
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        // the JVM itself warns of the option on the same stream
        return output.lines()
                .filter(line -> !line.startsWith("OpenJDK") && !line.startsWith("WARNING"))
                .toList();
    }

    @Test
    void streamsWaitNowhere() throws Exception {
        assertThat(watched()).containsExactly("end");
    }

    @Test
    void aSubscriberThatSleepsIsSeen() throws Exception {
        assertThat(watched("planted")).hasSize(2).first().asString().contains("sleep");
    }
}
