package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that files of a package that use each other in a circle are few. The bounds are those of today, and fall. */
class FileCirclesTest {
    /** The largest circle of files that a package may have, where it is not {@link #USUAL}. */
    private static final Map<String, Integer> LARGEST = Map.of(
            "dev/millrace/session", 2,
            "dev/millrace/session/runtime", 3,
            "dev/millrace/epcontext", 2,
            "dev/millrace/codegen/asm", 10,
            "dev/millrace/graph/ir", 9);

    private static final int USUAL = 8;

    /** The packages whose shape this project chooses: those outside of its own have the shape of another API. */
    private static final String OWN_PACKAGE = ".*[/\\\\]src[/\\\\]main[/\\\\]java[/\\\\]dev[/\\\\]millrace\\b.*";

    private static final Pattern NO_CODE = Pattern.compile(
            "/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"|(?m:^import [^\\n]*$)", Pattern.DOTALL);
    private static final Pattern TYPE = Pattern.compile("\\b[A-Z]\\w*");

    /** Returns the files that each file of a folder names, by simple names. */
    private static Map<String, Set<String>> uses(Path folder) throws IOException {
        var words = new TreeMap<String, Set<String>>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                var named = new TreeSet<String>();
                String code = NO_CODE.matcher(Files.readString(file)).replaceAll(" ");
                for (Matcher type = TYPE.matcher(code); type.find(); ) {
                    named.add(type.group());
                }
                words.put(file.getFileName().toString().replace(".java", ""), named);
            }
        }
        words.forEach((name, named) -> {
            named.retainAll(words.keySet());
            named.remove(name);
        });
        return words;
    }

    private static Set<String> reached(Set<String> from, Map<String, Set<String>> uses) {
        var reached = new TreeSet<String>();
        var left = new ArrayDeque<>(from);
        while (!left.isEmpty()) {
            String next = left.pop();
            if (reached.add(next)) {
                left.addAll(uses.getOrDefault(next, Set.of()));
            }
        }
        return reached;
    }

    /** Returns the largest set of files of a folder in which every file reaches every other one. */
    private static Collection<String> largestCircle(Path folder) throws IOException {
        Map<String, Set<String>> uses = uses(folder);
        var reached = new TreeMap<String, Set<String>>();
        uses.forEach((each, used) -> reached.put(each, reached(used, uses)));
        Collection<String> largest = List.of();
        for (Map.Entry<String, Set<String>> each : reached.entrySet()) {
            List<String> circle = reached.entrySet().stream()
                    .filter(other -> each.getValue().contains(other.getKey())
                            && other.getValue().contains(each.getKey()))
                    .map(Map.Entry::getKey)
                    .toList();
            largest = circle.size() > largest.size() ? circle : largest;
        }
        return largest;
    }

    private static List<Path> packages(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isDirectory)
                    .filter(each -> each.toString().matches(OWN_PACKAGE))
                    .toList();
        }
    }

    private static String nameOf(Path folder) {
        return folder.toString().replace('\\', '/').replaceAll(".*/src/main/java/", "");
    }

    @Test
    void circlesOfFilesAreNoLargerThanTheyWere() throws IOException {
        var found = new ArrayList<String>();
        for (Path folder : packages(Path.of(".."))) {
            Collection<String> circle = largestCircle(folder);
            if (circle.size() > LARGEST.getOrDefault(nameOf(folder), USUAL)) {
                found.add(nameOf(folder) + ": " + circle);
            }
        }
        assertThat(found).isEmpty();
    }

    @Test
    void aCircleIsFound(@TempDir Path folder) throws IOException {
        Files.writeString(folder.resolve("One.java"), "import java.util.List;\nclass One { Two two; }\n");
        Files.writeString(folder.resolve("Two.java"), "class Two { Three three; }");
        Files.writeString(folder.resolve("Three.java"), "class Three { One one; /* Four */ }");
        Files.writeString(folder.resolve("Four.java"), "class Four { One one; }");
        assertThat(largestCircle(folder)).containsExactly("One", "Three", "Two");
    }
}
