package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests that the code which the documentation shows from files of the repository is in them, line by line. */
class DocumentedCodeTest {
    private static final Path ROOT = Path.of("..");
    private static final int LONGEST = 30;
    private static final int LONGEST_SERVICE = 39;

    /** The pattern of a file's path on a line of its own, followed by a block of code. */
    private static final Pattern SHOWN = Pattern.compile(
            "^`([\\w./-]+)`\\n\\n```(?:java|kotlin|properties|text)\\n(.*?)\\n```$",
            Pattern.DOTALL | Pattern.MULTILINE);

    private static List<MatchResult> shown(String page) {
        return SHOWN.matcher(page).results().toList();
    }

    private static String page(String name) throws IOException {
        return Files.readString(ROOT.resolve("docs").resolve(name));
    }

    /** Returns the lines of a text without their indentation. */
    private static String flat(String text) {
        return "\n" + text.strip().replaceAll("\\R[ \\t]*", "\n") + "\n";
    }

    /** Returns what is wrong with the pieces of a page that shows parts of files. */
    private static List<String> wrongPieces(String page, Path root) throws IOException {
        var wrong = new ArrayList<String>();
        for (MatchResult piece : shown(page)) {
            String file = Files.readString(root.resolve(piece.group(1)));
            if (!flat(file).contains(flat(piece.group(2)))) {
                wrong.add(piece.group(1) + " has other lines");
            }
            if (piece.group(2).lines().count() > LONGEST) {
                wrong.add("the piece of " + piece.group(1) + " is long");
            }
        }
        return wrong;
    }

    /** Returns what is wrong with the services that a page shows whole. */
    private static List<String> wrongServices(String page, Path root) throws IOException {
        var wrong = new ArrayList<String>();
        for (MatchResult service : shown(page)) {
            String file = Files.readString(root.resolve(service.group(1)));
            if (!service.group(2).equals(file.strip())) {
                wrong.add(service.group(1) + " is another text");
            }
            if (file.lines().count() > LONGEST_SERVICE) {
                wrong.add(service.group(1) + " is long");
            }
        }
        return wrong;
    }

    @ParameterizedTest
    @CsvSource({
        "adding-an-operator.md, 11",
        "adding-a-kernel.md, 19",
        "adding-a-provider.md, 11",
        "simulated-device.md, 3",
        "../guide/writing-a-provider.md, 37"
    })
    void piecesOfCodeAreInTheirFilesAndShort(String name, int pieces) throws IOException {
        String page = page("internals/" + name);
        assertThat(shown(page)).hasSize(pieces);
        assertThat(wrongPieces(page, ROOT)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"services.md, 3", "spring.md, 2"})
    void servicesAreShownWholeAndShort(String name, int files) throws IOException {
        String page = page("guide/" + name);
        assertThat(shown(page)).hasSize(files);
        assertThat(wrongServices(page, ROOT)).isEmpty();
    }

    @Test
    void codeThatHasChangedIsFound(@TempDir Path root) throws IOException {
        Files.writeString(root.resolve("One.java"), "class One {\n    int one;\n    int two;\n}\n");
        assertThat(wrongPieces(piece("    int one;\n    int two;"), root)).isEmpty();
        assertThat(wrongPieces(piece("int one;\nint three;"), root)).containsExactly("One.java has other lines");
        assertThat(wrongServices(piece("class One {\n    int one;\n    int two;\n}"), root))
                .isEmpty();
        assertThat(wrongServices(piece("    int one;\n    int two;"), root))
                .containsExactly("One.java is another text");
    }

    @Test
    void codeThatIsLongIsFound(@TempDir Path root) throws IOException {
        String code = "int one;\n".repeat(LONGEST_SERVICE + 1).strip();
        Files.writeString(root.resolve("One.java"), code);
        assertThat(wrongPieces(piece(code), root)).containsExactly("the piece of One.java is long");
        assertThat(wrongServices(piece(code), root)).containsExactly("One.java is long");
    }

    private static String piece(String code) {
        return "`One.java`\n\n```java\n" + code + "\n```";
    }
}
