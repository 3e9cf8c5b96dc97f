package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that an operator is at home in the table of operators: the engine's sources speak of its traits or of the constant
 * {@code OpName}, and hardly of its name. The sources of the bench and of the tests of
 * providers, which make models by name, do not count.
 */
class OperatorHomeTest {
    private static final int MOST = 4;

    private static final Pattern SOURCE = Pattern.compile(".*[/\\\\]src[/\\\\]main[/\\\\].*\\.(java|kt)");
    private static final Pattern BESIDE =
            Pattern.compile("\\.\\.[/\\\\](bench|examples|engine-providers[/\\\\]tests)[/\\\\].*");
    private static final Pattern LITERAL = Pattern.compile("\"([A-Z]\\w+)\"");
    private static final Pattern OPERATOR = Pattern.compile("(?m)^([A-Z]\\w+) \\d");

    @Test
    void noNameOfAnOperatorStandsInMoreThanFourSources() throws IOException {
        assertThat(scattered(Path.of(".."), operators())).isEmpty();
    }

    @Test
    void anOperatorThatIsAFormulaStandsInNone() throws IOException {
        assertThat(operators()).contains("Mish", "Softmax").hasSizeGreaterThan(300);
        assertThat(sourcesByName(Path.of(".."))).doesNotContainKey("Mish").containsKey("Softmax");
    }

    @Test
    void aScatteredNameIsFound(@TempDir Path folder) throws IOException {
        Path sources = Files.createDirectories(folder.resolve("module/src/main/java"));
        for (int i = 0; i <= MOST; i++) {
            Files.writeString(sources.resolve("Rule" + i + ".java"), "String name = \"Softmax\";");
        }
        assertThat(scattered(folder, new TreeSet<>(List.of("Softmax", "Relu")))).hasSize(1);
    }

    private static TreeSet<String> operators() throws IOException {
        var names = new TreeSet<String>();
        try (Stream<Path> files = Files.list(Path.of("../engine-graph/src/main/resources/dev/millrace/graph/op"))) {
            for (Path file : files.toList()) {
                OPERATOR.matcher(Files.readString(file)).results().forEach(each -> names.add(each.group(1)));
            }
        }
        return names;
    }

    private static List<String> scattered(Path root, TreeSet<String> operators) throws IOException {
        var found = new ArrayList<String>();
        sourcesByName(root).forEach((name, sources) -> {
            if (operators.contains(name) && sources.size() > MOST) {
                found.add(name + ": " + sources);
            }
        });
        return found;
    }

    /** Returns the sources in which each capitalised name stands as a string. */
    private static Map<String, TreeSet<Path>> sourcesByName(Path root) throws IOException {
        var sources = new TreeMap<String, TreeSet<Path>>();
        try (Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(OperatorHomeTest::isOfTheEngine).toList()) {
                LITERAL.matcher(Files.readString(file))
                        .results()
                        .map((MatchResult each) -> each.group(1))
                        .forEach(name -> sources.computeIfAbsent(name, _ -> new TreeSet<>())
                                .add(file));
            }
        }
        return sources;
    }

    private static boolean isOfTheEngine(Path file) {
        return SOURCE.matcher(file.toString()).matches()
                && !BESIDE.matcher(file.toString()).matches()
                && !file.endsWith("OpName.java");
    }
}
