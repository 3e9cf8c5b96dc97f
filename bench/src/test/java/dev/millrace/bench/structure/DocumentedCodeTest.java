package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the code which the documentation shows from files of the repository is in them, line by line. */
class DocumentedCodeTest {
    private static final Path ROOT = Path.of("..");
    private static final int LONGEST = 30;
    private static final int LONGEST_SERVICE = 39;

    /** The pattern of a file's path on a line of its own, followed by a block of code. */
    private static final Pattern SHOWN = Pattern.compile(
            "^`([\\w./-]+)`\\n\\n```(?:java|kotlin|text)\\n(.*?)\\n```$", Pattern.DOTALL | Pattern.MULTILINE);

    private static List<MatchResult> shown(String name) throws IOException {
        String page = Files.readString(ROOT.resolve("docs").resolve(name));
        return SHOWN.matcher(page).results().toList();
    }

    /** Returns the lines of a text without their indentation. */
    private static String flat(String text) {
        return "\n" + text.strip().replaceAll("\\R[ \\t]*", "\n") + "\n";
    }

    @ParameterizedTest
    @CsvSource({
        "adding-an-operator.md, 11",
        "adding-a-kernel.md, 19",
        "adding-a-provider.md, 11",
        "simulated-device.md, 3"
    })
    void piecesOfCodeAreInTheirFilesAndShort(String page, int pieces) throws IOException {
        List<MatchResult> shown = shown("internals/" + page);
        assertThat(shown).hasSize(pieces);
        for (MatchResult piece : shown) {
            String file = Files.readString(ROOT.resolve(piece.group(1)));
            assertThat(flat(file)).as(piece.group(1)).contains(flat(piece.group(2)));
            assertThat(piece.group(2).lines().count()).as(piece.group(1)).isLessThanOrEqualTo(LONGEST);
        }
    }

    @Test
    void servicesAreShownWholeAndShort() throws IOException {
        assertThat(shown("guide/services.md")).hasSize(4);
        for (MatchResult service : shown("guide/services.md")) {
            String file = Files.readString(ROOT.resolve(service.group(1)));
            assertThat(service.group(2)).as(service.group(1)).isEqualTo(file.strip());
            assertThat(file.lines().count()).as(service.group(1)).isLessThanOrEqualTo(LONGEST_SERVICE);
        }
    }
}
