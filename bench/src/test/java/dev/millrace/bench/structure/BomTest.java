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
import org.junit.jupiter.api.io.TempDir;
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
    private static final Set<String> NOT_FOR_OTHERS = Set.of(
            "millrace-bench",
            "millrace-bench-spring-service",
            "millrace-example-kafka-streams",
            "millrace-example-ktor",
            "millrace-example-npu-provider",
            "millrace-example-rag",
            "millrace-example-spark",
            "millrace-example-spring-ai",
            "millrace-example-webflux");

    /** Returns what is in the BOM only, and what is a module only. */
    private static List<String> differences(Path root) throws IOException {
        var modules = new TreeSet<String>();
        for (Path pom : poms(root)) {
            if (Files.isDirectory(pom.resolveSibling("src/main"))) {
                modules.add(
                        first(ARTIFACT, PARENT.matcher(Files.readString(pom)).replaceFirst("")));
            }
        }
        modules.removeAll(NOT_FOR_OTHERS);
        var listed = new TreeSet<String>();
        Matcher found = ARTIFACT.matcher(first(MANAGED, Files.readString(root.resolve("bom/pom.xml"))));
        while (found.find()) {
            listed.add(found.group(1));
        }
        return Stream.concat(
                        listed.stream().filter(each -> !modules.contains(each)).map(each -> each + " is no module"),
                        modules.stream()
                                .filter(each -> !listed.contains(each))
                                .map(each -> each + " is not in the BOM"))
                .toList();
    }

    /** Returns the versions of the BOM that a document names. */
    private static List<String> versions(String document) {
        return COORDINATES
                .matcher(document)
                .results()
                .map(each -> each.group(1))
                .toList();
    }

    @Test
    void theBomHasEveryModule() throws IOException {
        assertThat(poms(ROOT)).hasSizeGreaterThan(10);
        assertThat(differences(ROOT)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/guide/getting-started.md", "docs/guide/services.md"})
    void aDocumentNamesTheVersionOfTheBuild(String document) throws IOException {
        String version = first(VERSION, Files.readString(ROOT.resolve("pom.xml")));
        assertThat(versions(Files.readString(ROOT.resolve(document))))
                .isNotEmpty()
                .containsOnly(version);
    }

    @Test
    void aModuleThatIsMissingIsFound(@TempDir Path root) throws IOException {
        module(
                root.resolve("one"),
                "<parent><artifactId>millrace-parent</artifactId></parent>" + "<artifactId>millrace-one</artifactId>");
        module(root.resolve("two"), "<artifactId>millrace-two</artifactId>");
        module(root.resolve("bench"), "<artifactId>millrace-bench</artifactId>");
        Files.writeString(
                Files.createDirectory(root.resolve("bom")).resolve("pom.xml"),
                "<artifactId>millrace-bom</artifactId><dependencyManagement>"
                        + "<artifactId>millrace-two</artifactId><artifactId>millrace-three</artifactId>"
                        + "</dependencyManagement>");
        assertThat(differences(root)).containsExactly("millrace-three is no module", "millrace-one is not in the BOM");
    }

    private static void module(Path folder, String pom) throws IOException {
        Files.createDirectories(folder.resolve("src/main"));
        Files.writeString(folder.resolve("pom.xml"), pom);
    }

    @Test
    void versionsOfMavenAndGradleAreFound() {
        assertThat(versions(
                        "<artifactId>millrace-bom</artifactId>\n  <version>0.0.9</version>, or \"millrace-bom:0.0.8\""))
                .containsExactly("0.0.9", "0.0.8");
    }

    private static List<Path> poms(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root, 3)) {
            return files.filter(file -> file.endsWith("pom.xml")).toList();
        }
    }

    private static String first(Pattern pattern, String text) {
        Matcher found = pattern.matcher(text);
        assertThat(found.find()).isTrue();
        return found.group(1);
    }
}
