package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A rule for Java sources: code names a class by its simple name and an import. The qualified name is left to a clash, where the
 * simple name stands for another class of the same file.
 */
class QualifiedNamesTest {
    private static final Pattern NO_CODE = Pattern.compile(
            "\"\"\".*?(?<!\\\\)\"\"\""
                    + "|\"(?:\\\\.|[^\"\\\\\\n])*\""
                    + "|'(?:\\\\.|[^'\\\\\\n])+'"
                    + "|//[^\\n]*"
                    + "|/\\*.*?\\*/",
            Pattern.DOTALL);
    private static final Pattern HEADER =
            Pattern.compile("(?m)^(?:package|import(?: static)?) ([\\w.]+?)(?:\\.\\*)?;$");
    private static final Pattern QUALIFIED = Pattern.compile("(?<![\\w.])((?:[a-z]\\w*\\.)+)([A-Z]\\w*)");

    /** The Java sources below a folder, without those that the build makes. */
    private static List<Path> sources(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(each -> each.toString().matches(".*[/\\\\]src[/\\\\](main|test)[/\\\\].*\\.java"))
                    .filter(each -> !each.toString().matches(".*[/\\\\]target[/\\\\].*"))
                    .filter(each -> !each.endsWith("module-info.java"))
                    .toList();
        }
    }

    /** Takes texts, characters and comments out of a source; its lines keep their numbers. */
    private static String code(String source) {
        return NO_CODE.matcher(source).replaceAll(match -> "\n".repeat((int) lineBreaks(match.group())));
    }

    private static List<String> headers(String code) {
        return HEADER.matcher(code).results().map(match -> match.group(1)).toList();
    }

    private static List<String> qualifiedNames(Path root) throws IOException {
        var codes = new TreeMap<Path, String>();
        // a name in front of a dot that begins no package is a variable
        var packageRoots = new HashSet<String>();
        for (Path each : sources(root)) {
            String code = code(Files.readString(each));
            codes.put(each, code);
            headers(code).forEach(name -> packageRoots.add(firstName(name)));
        }
        var found = new ArrayList<String>();
        codes.forEach((file, code) -> {
            List<String> headers = headers(code);
            String body = HEADER.matcher(code).replaceAll("");
            for (Matcher name = QUALIFIED.matcher(body); name.find(); ) {
                boolean isClash = stands(name.group(2), body) && !headers.contains(name.group());
                if (packageRoots.contains(firstName(name.group())) && !isClash) {
                    long line = lineBreaks(body.substring(0, name.start())) + 1;
                    found.add(file + ":" + line + " " + name.group());
                }
            }
        });
        return found;
    }

    private static String firstName(String qualified) {
        int dot = qualified.indexOf('.');
        return dot < 0 ? qualified : qualified.substring(0, dot);
    }

    private static long lineBreaks(String text) {
        return text.chars().filter(each -> each == '\n').count();
    }

    /** Whether a simple name stands in code without a package or a class in front of it. */
    private static boolean stands(String simpleName, String code) {
        return Pattern.compile("(?<![\\w.])" + simpleName + "\\b").matcher(code).find();
    }

    @Test
    void classesAreImported() throws IOException {
        assertThat(qualifiedNames(Path.of(".."))).isEmpty();
    }

    @Test
    void aClashIsFoundByTheSimpleName(@TempDir Path root) throws IOException {
        Path folder = Files.createDirectories(root.resolve("one/src/main/java/one"));
        Files.writeString(folder.resolve("Two.java"), """
            package one.part;

            import java.util.List;

            /** See java.util.Map. */
            class Two {
                List<Object> both = List.of(new java.awt.List(), "java.util.Map", '"', new java.util.Random());
                java.util.List<Object> same; // java.util.Set
                Object variable = both.Type;
                one.other.Part part;
            }
            """);
        assertThat(qualifiedNames(root))
                .extracting(each -> each.substring(each.lastIndexOf("Two.java")))
                .containsExactly(
                        "Two.java:7 java.util.Random", "Two.java:8 java.util.List", "Two.java:10 one.other.Part");
    }
}
