package dev.millrace.onnxruntime;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Tests that the guide's table has each public type of ONNX Runtime's jar, and that each method is tested or refused as it says. */
@EnabledIfSystemProperty(named = "onnxruntime.jar", matches = ".+") // absent where the jar itself is tested
class PublicMethodsTest {
    private static final Path JAR = Path.of(System.getProperty("onnxruntime.jar"));
    private static final Path GUIDE = Path.of("../docs/guide/onnxruntime-drop-in.md");
    private static final Path TESTS = Path.of("src/test/java/dev/millrace/onnxruntime");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    /** Methods that every object or every enumeration has. */
    private static final Set<String> USUAL = Set.of("equals", "hashCode", "toString", "values", "valueOf");

    /** A row of the table. */
    private record Row(String types, String tested, String refused) {
        boolean names(String type) {
            return codes(types).contains(type);
        }

        boolean refuses(String method) {
            return refused.startsWith("every method") || codes(refused).contains(method);
        }
    }

    private static Set<String> codes(String text) {
        return CODE.matcher(text)
                .results()
                .map(MatchResult::group)
                .map(each -> each.substring(1, each.length() - 1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static List<Row> table() throws IOException {
        String guide = Files.readString(GUIDE);
        String part = guide.substring(guide.indexOf("## Public methods"));
        return part.lines()
                .filter(line -> line.startsWith("| ") && !line.startsWith("| type "))
                .map(line -> line.split(" \\| "))
                .map(cells -> new Row(cells[0], cells[1], cells[2].replace(" |", "")))
                .toList();
    }

    private static List<Class<?>> publicTypes(ClassLoader loader) throws Exception {
        var types = new ArrayList<Class<?>>();
        try (var jar = new JarFile(JAR.toFile())) {
            for (String entry :
                    jar.stream().map(each -> each.getName()).sorted().toList()) {
                if (entry.startsWith("ai/onnxruntime/") && entry.endsWith(".class")) {
                    types.add(Class.forName(entry.replace(".class", "").replace('/', '.'), false, loader));
                }
            }
        }
        types.removeIf(type -> Stream.<Class<?>>iterate(type, each -> each != null, Class::getEnclosingClass)
                .anyMatch(each -> !Modifier.isPublic(each.getModifiers())));
        return types;
    }

    private static @Nullable Row rowOf(Class<?> type, List<Row> table) {
        Class<?> around = type.getEnclosingClass();
        String nested = around == null ? type.getSimpleName() : around.getSimpleName() + "." + type.getSimpleName();
        return table.stream()
                .filter(row -> row.names(type.getSimpleName())
                        || row.names(nested)
                        || type.isEnum() && row.types().contains("all enumerations"))
                .findFirst()
                .orElse(null);
    }

    /** Returns the code of all tests but this one. */
    private static String tests() throws IOException {
        try (Stream<Path> files = Files.walk(TESTS)) {
            return files.filter(
                            file -> file.toString().endsWith("Test.java") && !file.endsWith("PublicMethodsTest.java"))
                    .map(PublicMethodsTest::read)
                    .collect(joining("\n"));
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void eachPublicMethodIsTestedOrRefused() throws Exception {
        List<Row> table = table();
        String tests = tests();
        var wrong = new ArrayList<String>();
        int methods = 0;
        try (var loader = new URLClassLoader(new URL[] {JAR.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            for (Class<?> type : publicTypes(loader)) {
                Row row = rowOf(type, table);
                if (row == null) {
                    wrong.add(type.getName() + " has no row");
                    continue;
                }
                for (Method method : type.getDeclaredMethods()) {
                    String name = method.getName();
                    if (Modifier.isPublic(method.getModifiers()) && !method.isSynthetic() && !USUAL.contains(name)) {
                        methods++;
                        boolean isTested = row.tested().startsWith("all")
                                && Pattern.compile("(\\.|::)" + name + "\\b")
                                        .matcher(tests)
                                        .find();
                        if (!isTested && !row.refuses(name)) {
                            wrong.add(type.getName() + "." + name + " is neither tested nor refused");
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
        assertThat(methods).isGreaterThan(250);
    }

    @Test
    void noRowIsOfATypeThatIsNotThere() throws Exception {
        List<Row> table = table();
        try (var loader = new URLClassLoader(new URL[] {JAR.toUri().toURL()}, ClassLoader.getPlatformClassLoader())) {
            Set<String> names = publicTypes(loader).stream()
                    .map(type -> type.getName().replaceAll(".*\\.", ""))
                    .flatMap(name ->
                            Stream.of(name.replaceAll(".*\\$", ""), String.join(".", lastTwo(name.split("\\$")))))
                    .collect(Collectors.toSet());
            assertThat(table.stream().flatMap(row -> codes(row.types()).stream()))
                    .isSubsetOf(names);
        }
    }

    private static List<String> lastTwo(String... parts) {
        return Arrays.asList(parts).subList(Math.max(0, parts.length - 2), parts.length);
    }
}
