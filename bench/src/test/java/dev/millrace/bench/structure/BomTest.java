package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the BOM has every module that others can use, and that documents name its version. */
class BomTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern ARTIFACT = Pattern.compile("<artifactId>([\\w-]+)</artifactId>");
    private static final Pattern VERSION = Pattern.compile("<version>([^<]+)</version>");
    private static final Pattern MANAGED = Pattern.compile("(?s)<dependencyManagement>(.*?)</dependencyManagement>");
    /** The version of the BOM in a document, as Maven or as Gradle writes it. */
    private static final Pattern COORDINATES =
            Pattern.compile("millrace-bom(?:</artifactId>\\s*<version>|:)([\\w.-]+)");

    private static final Pattern PARENT = Pattern.compile("(?s)<parent>.*?</parent>");
    /** The modules that are no libraries: benchmarks and examples. */
    private static final Set<String> NOT_FOR_OTHERS =
            Set.of("millrace-bench", "millrace-example-ktor", "millrace-example-webflux");

    @Test
    void theBomHasEveryModule() throws IOException {
        var modules = new TreeSet<String>();
        for (Path pom : poms()) {
            if (Files.isDirectory(pom.resolveSibling("src/main"))) {
                modules.add(
                        first(ARTIFACT, PARENT.matcher(Files.readString(pom)).replaceFirst("")));
            }
        }
        modules.removeAll(NOT_FOR_OTHERS);
        var listed = new TreeSet<String>();
        Matcher found = ARTIFACT.matcher(first(MANAGED, Files.readString(ROOT.resolve("bom/pom.xml"))));
        while (found.find()) {
            listed.add(found.group(1));
        }
        assertThat(listed).isEqualTo(modules);
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/guide/getting-started.md", "docs/guide/services.md"})
    void aDocumentNamesTheVersionOfTheBuild(String document) throws IOException {
        String version = first(VERSION, Files.readString(ROOT.resolve("pom.xml")));
        Matcher found = COORDINATES.matcher(Files.readString(ROOT.resolve(document)));
        assertThat(found.results().map(each -> each.group(1))).isNotEmpty().allMatch(version::equals);
    }

    private static List<Path> poms() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT, 3)) {
            return files.filter(file -> file.endsWith("pom.xml")).toList();
        }
    }

    private static String first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }
}
