package dev.millrace.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests that classes of tests have the tags that {@code docs/internals/testing.md} describes. */
class TestTagsTest {
    private static final Path DOCUMENT = Path.of("../docs/internals/testing.md");
    private static final Pattern CLASS = Pattern.compile("`(\\w+(?:IT|Test))`");
    private static final Pattern TAG = Pattern.compile("(?m)^@Tag\\(\"(\\w+)\"\\)$");
    private static final Pattern DOCUMENTED_TAG = Pattern.compile("(?m)^\\| `(\\w+)` \\|");
    private static final Pattern FUZZ = Pattern.compile("\\w*(Fire(IT|Test)|Fuzz\\w*)");
    private static final Pattern CALLS_REFERENCE = Pattern.compile("(?m)^import ai\\.onnxruntime\\.");

    /** Returns the sources of all classes of tests. */
    private static Map<String, String> sources() throws IOException {
        var sources = new TreeMap<String, String>();
        try (Stream<Path> all = Files.walk(Path.of(".."))) {
            for (Path each : all.filter(path ->
                            path.toString().matches(".*[/\\\\]src[/\\\\]test[/\\\\]java[/\\\\].*(IT|Test)\\.java"))
                    .toList()) {
                sources.put(each.getFileName().toString().replace(".java", ""), Files.readString(each));
            }
        }
        return sources;
    }

    private static Set<String> all(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static String section(String title) throws IOException {
        String text = Files.readString(DOCUMENT);
        int start = text.indexOf("\n## " + title + "\n");
        assertThat(start).as(title).isPositive();
        int end = text.indexOf("\n## ", start + 1);
        return text.substring(start, end);
    }

    private static Set<String> tagged(String tag) throws IOException {
        var tagged = new TreeSet<String>();
        sources().forEach((name, source) -> {
            if (all(TAG, source).contains(tag)) {
                tagged.add(name);
            }
        });
        return tagged;
    }

    @Test
    void tagsAreThoseOfTheDocument() throws IOException {
        var used = new TreeSet<String>();
        sources().values().forEach(source -> used.addAll(all(TAG, source)));
        assertThat(used).isEqualTo(all(DOCUMENTED_TAG, section("Tags")));
    }

    @Test
    void longSuitesAreSlow() throws IOException {
        assertThat(tagged("slow")).containsAll(all(CLASS, section("Long suites")));
    }

    @Test
    void attacksAreFuzzTests() throws IOException {
        Set<String> attacks = sources().keySet().stream()
                .filter(name -> FUZZ.matcher(name).matches())
                .collect(Collectors.toSet());
        assertThat(attacks).hasSizeGreaterThan(10);
        assertThat(tagged("fuzz")).containsAll(attacks);
    }

    @Test
    void testsThatCallOnnxRuntimeAreTagged() throws IOException {
        var callers = new TreeSet<String>();
        sources().forEach((name, source) -> {
            if (CALLS_REFERENCE.matcher(source).find()) {
                callers.add(name);
            }
        });
        assertThat(callers).isNotEmpty();
        assertThat(tagged("reference")).containsAll(callers);
    }
}
