package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class VersionTest {
    private static final String FORCED = "-Dmillrace.kernels.level=plain";

    @Test
    void eachFactHasALine() {
        Command said = Command.millrace("version");

        assertThat(said.err()).isEmpty();
        assertThat(said.out().lines().map(line -> line.substring(0, 15).strip()))
                .contains("version", "system", "jdk", "providers", "simd", "threads", "processors", "memory", "heap")
                .contains("models", "context cache", "kept code", "AOT cache");
        assertThat(said.out()).contains(Runtime.version().toString(), Main.VERSION, "simd, cpu");
    }

    @Test
    void theVersionIsThatOfTheBuild() throws IOException {
        assertThat(Files.readString(Path.of("..", "pom.xml")))
                .contains("<artifactId>millrace-parent</artifactId>\n  <version>" + Main.VERSION + "</version>");
    }

    @Test
    void theSameIsThereAsJson() {
        Command said = Command.millrace("version", "--json");

        assertThat(said.out().strip())
                .startsWith("{\"version\":\"" + Main.VERSION + "\"")
                .endsWith("]}");
        assertThat(said.out()).contains("\"providers\":\"simd, cpu\"", "\"notes\":[");
    }

    @Test
    void theLevelIsNamedWithItsReason() throws IOException, InterruptedException {
        String said =
                new OwnJvm("dev.millrace.cli.Main", "version").options(FORCED).output();

        assertThat(said)
                .contains("simd            plain: forced by millrace.kernels.level")
                .doesNotContain("note");
    }

    /** Messages at level INFO are for services; the command prints the same facts itself, or does not need them. */
    @Test
    void whatIsInformationOnlyIsNotPrinted() throws IOException, InterruptedException {
        String said = new OwnJvm(Logging.class).output();

        assertThat(said).contains("a warning").doesNotContain("an information");
    }

    static final class Logging {
        private Logging() {}

        public static void main(String[] arguments) {
            Main.quieten();
            System.Logger log = System.getLogger("dev.millrace.test");
            log.log(System.Logger.Level.INFO, "an information");
            log.log(System.Logger.Level.WARNING, "a warning");
        }
    }
}
