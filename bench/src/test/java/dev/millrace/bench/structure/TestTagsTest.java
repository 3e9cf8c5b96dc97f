package dev.millrace.bench.structure;

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

/** Tests that classes of tests have the tags, and lie in the packages, that {@code docs/internals/testing.md} describes. */
class TestTagsTest {
    private static final Path DOCUMENT = Path.of("../docs/internals/testing.md");
    private static final Pattern CLASS = Pattern.compile("`(\\w+(?:IT|Test))`");
    private static final Pattern TAG = Pattern.compile("(?m)^@Tag\\(\"(\\w+)\"\\)$");
    private static final Pattern DOCUMENTED_TAG = Pattern.compile("(?m)^\\| `(\\w+)` \\|");
    private static final Pattern FUZZ = Pattern.compile("\\w*(Fire(IT|Test)|Fuzz\\w*)");
    private static final Pattern ADDRESS = Pattern.compile("`((?:cli|kernels|session|bench)\\.\\w+)`");
    private static final Pattern PACKAGE = Pattern.compile("(?m)^package dev\\.millrace\\.([\\w.]+);");
    private static final Pattern OF_A_KIND = Pattern.compile("\\w*(Fire(IT|Test)|Fuzz\\w*|Stress(IT|Test)|SoakIT"
            + "|Circles\\w*|(Source|Document)Rules\\w*|Conformance\\w*|Agree\\w*IT)");
    private static final Set<String> BESIDE_ITS_CODE = Set.of("TemplateFuzzTest");
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
    void testsOfAKindLieInAPackageOfTheDocument() throws IOException {
        Set<String> packages = all(ADDRESS, section("Addresses"));
        assertThat(packages).contains("cli.fire", "bench.structure");
        assertThat(misplaced(sources(), packages)).isEmpty();
    }

    @Test
    void anAttackBesideOtherTestsIsFound() {
        Map<String, String> sources = Map.of(
                "NewFireIT", "package dev.millrace.cli;",
                "OldFireIT", "package dev.millrace.cli.fire;",
                "SoakIT", "package dev.millrace.session;",
                "LexerTest", "package dev.millrace.text;");
        assertThat(misplaced(sources, Set.of("cli.fire"))).containsExactly("NewFireIT", "SoakIT");
    }

    /** Returns the tests of a kind that lie in no package of {@code packages}. */
    private static Set<String> misplaced(Map<String, String> sources, Set<String> packages) {
        var misplaced = new TreeSet<String>();
        sources.forEach((name, source) -> {
            String home =
                    PACKAGE.matcher(source).results().findFirst().orElseThrow().group(1);
            if (OF_A_KIND.matcher(name).matches() && !BESIDE_ITS_CODE.contains(name) && !packages.contains(home)) {
                misplaced.add(name);
            }
        });
        return misplaced;
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
