package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** An operator is at home in the table of operators: code speaks of its traits, and hardly of its name. */
class OperatorHomeTest {
    @Test
    void theNameOfAnElementwiseOperatorStandsInThreeSourcesAtMost() throws IOException {
        assertThat(mainSourcesThatSay("\"Relu\"")).isNotEmpty().hasSizeLessThanOrEqualTo(3);
    }

    @Test
    void anOperatorThatIsAFormulaStandsInNone() throws IOException {
        assertThat(mainSourcesThatSay("\"Mish\"")).isEmpty();
    }

    private static List<Path> mainSourcesThatSay(String text) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(".."))) {
            return files.filter(file -> file.toString().matches(".*[/\\\\]src[/\\\\]main[/\\\\].*\\.(java|kt)"))
                    .filter(file -> says(file, text))
                    .toList();
        }
    }

    private static boolean says(Path file, String text) {
        try {
            return Files.readString(file).contains(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
