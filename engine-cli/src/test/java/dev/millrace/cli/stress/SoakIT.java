package dev.millrace.cli.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.fire.Fire;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many models for a long time. By default only for some seconds; {@code -Dmillrace.soak.minutes=N} goes on for so long, and
 * then looks at memory, too.
 */
@Tag("slow")
class SoakIT {
    private static final long MINUTES = Long.getLong("millrace.soak.minutes", 0);
    private static final int THREADS = Integer.getInteger("millrace.soak.threads", 3);
    private static final int GRACE_MINUTES = 5;

    @Test
    void memoryThreadsAndDescriptorsStayWhatTheyAre() throws IOException, InterruptedException {
        Assumptions.assumeTrue(Files.exists(Held.STATUS), "there is no /proc to look at");
        String output = new OwnJvm(Soak.class, MINUTES, THREADS)
                .options(
                        "-Xms512m",
                        "-Xmx512m",
                        "-XX:+AlwaysPreTouch",
                        "-XX:MaxDirectMemorySize=2g",
                        "-XX:NativeMemoryTracking=summary")
                .options("-Dmillrace.fire.seed=" + Fire.SEED)
                .within(Duration.ofMinutes(MINUTES + GRACE_MINUTES))
                .output();
        System.out.print(output);
        assertThat(output).contains("soak of ");
    }
}
