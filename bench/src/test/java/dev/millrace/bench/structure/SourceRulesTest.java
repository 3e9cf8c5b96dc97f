package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rules for names and comments of all sources: a Javadoc starts with a noun or a verb, and a simple name serves one file. */
class SourceRulesTest {
    /** First words of a Javadoc that lack a noun or a verb. */
    private static final Pattern FIRST_WORDS = Pattern.compile(
            "(Of|From|As|For|In|By|With|Who|Whoever|What|Whatever|Where|The same|That of|Those of|Whose|Whom)\\b.*",
            Pattern.DOTALL);

    private static final Pattern JAVADOC = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
    private static final Pattern MARGIN = Pattern.compile("(?m)^\\s*\\*? ?");

    /** The main files whose names this project chooses: packages outside of its own have the names of another API. */
    private static final String OWN_PACKAGE = ".*[/\\\\]src[/\\\\]main[/\\\\]\\w+[/\\\\]dev[/\\\\]millrace[/\\\\].*";

    /** Main files that may share a simple name with one of another package; the bound falls. */
    private static final int MOST_SHARED_NAMES = 1;

    private static List<Path> sources(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(each -> each.toString().matches(".*[/\\\\]src[/\\\\](main|test)[/\\\\].*\\.(java|kt)"))
                    .filter(each -> !each.toString().matches(".*[/\\\\]target[/\\\\].*"))
                    .toList();
        }
    }

    private static List<String> wrongFirstWords(Path root) throws IOException {
        var found = new ArrayList<String>();
        for (Path each : sources(root)) {
            String text = Files.readString(each);
            for (Matcher doc = JAVADOC.matcher(text); doc.find(); ) {
                String words = MARGIN.matcher(doc.group(1)).replaceAll("").strip();
                if (FIRST_WORDS.matcher(words).matches()) {
                    long line = text.substring(0, doc.start()).lines().count() + 1;
                    found.add(
                            each + ":" + line + " " + words.lines().findFirst().orElse(""));
                }
            }
        }
        return found;
    }

    private static Map<String, List<Path>> sharedNames(Path root) throws IOException {
        var files = new TreeMap<String, List<Path>>();
        for (Path each : sources(root)) {
            String name = each.getFileName().toString();
            boolean isType = name.endsWith(".java") && !name.matches("(package|module)-info\\.java");
            if (isType && each.toString().matches(OWN_PACKAGE)) {
                files.computeIfAbsent(name, _ -> new ArrayList<>()).add(each);
            }
        }
        files.values().removeIf(same -> same.size() == 1);
        return files;
    }

    @Test
    void javadocsStartWithANounOrAVerb() throws IOException {
        assertThat(wrongFirstWords(Path.of(".."))).isEmpty();
    }

    @Test
    void aSimpleNameServesOneFile() throws IOException {
        assertThat(sharedNames(Path.of(".."))).hasSizeLessThanOrEqualTo(MOST_SHARED_NAMES);
    }

    @Test
    void violationsAreFound(@TempDir Path root) throws IOException {
        for (String folder : List.of("one", "two")) {
            Path source = Files.createDirectories(root.resolve(folder + "/src/main/java/dev/millrace/" + folder));
            Files.writeString(
                    source.resolve("Same.java"), "/*" + "* Of no use. */\nclass Same {\n    /** Returns 1. */\n}\n");
        }
        assertThat(wrongFirstWords(root)).hasSize(2).allMatch(each -> each.contains("Same.java:1 Of no use."));
        assertThat(sharedNames(root)).containsOnlyKeys("Same.java");
    }
}
