package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.RunOptions;
import dev.millrace.session.SessionOption;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.StateOptions;
import dev.millrace.session.generate.GenerationOptions;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the guide's tables of session options are those of {@link SessionOption}, and that the guide names each method of
 * the builders of options.
 */
class OptionTableTest {
    private static final Path GUIDE = Path.of("../docs/guide/options.md");

    /** The rows of the first table under a heading, without its head. */
    private static List<String> rows(String guide, String heading) {
        return guide.lines()
                .dropWhile(line -> !line.equals(heading))
                .dropWhile(line -> !line.startsWith("|"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
    }

    /** Returns the rows that a guide lacks, and those of its table of options that are wrong. */
    private static List<String> wrongRows(String guide) {
        List<String> options =
                SessionOption.all().stream().map(OptionTableTest::row).toList();
        List<String> found = rows(guide, "## SessionOptions");
        List<String> keys = rows(guide, "### ONNX Runtime's keys");
        var wrong = new ArrayList<String>();
        options.stream().filter(row -> !found.contains(row)).forEach(row -> wrong.add("missing: " + row));
        found.stream().filter(row -> !options.contains(row)).forEach(row -> wrong.add("wrong: " + row));
        SessionOption.all().stream()
                .filter(option -> option.key() != null)
                .map(option -> "| `" + option.key() + "` | `SessionOptions." + option.name() + "` |")
                .filter(row -> !keys.contains(row))
                .forEach(row -> wrong.add("missing: " + row));
        if (wrong.isEmpty() && !found.equals(options)) {
            wrong.add("the options of the guide have another order, or one stands twice");
        }
        return wrong;
    }

    @Test
    void theGuideListsEachOptionAndEachKey() throws IOException {
        assertThat(wrongRows(Files.readString(GUIDE))).isEmpty();
    }

    @Test
    void aRowThatIsWrongOrMissingIsFound() throws IOException {
        String guide = Files.readString(GUIDE);
        String first = row(SessionOption.all().getFirst());
        String second = row(SessionOption.all().get(1));
        assertThat(wrongRows(guide.replace(first, first.replace("| `", "| `un"))))
                .containsExactly("missing: " + first, "wrong: " + first.replace("| `", "| `un"));
        assertThat(wrongRows(guide.replace(first + "\n" + second, second + "\n" + first)))
                .containsExactly("the options of the guide have another order, or one stands twice");
        String key = rows(guide, "### ONNX Runtime's keys").stream()
                .filter(row -> row.contains("`SessionOptions."))
                .findFirst()
                .orElseThrow();
        assertThat(wrongRows(guide.replace(key + "\n", ""))).containsExactly("missing: " + key);
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                EngineOptions.Builder.class,
                SessionOptions.Builder.class,
                EpContextOptions.Builder.class,
                RunOptions.Builder.class,
                FluxOptions.Builder.class,
                BatchOptions.Builder.class,
                StateOptions.Builder.class,
                CompileOptions.Builder.class,
                GenerationOptions.Builder.class
            })
    void theGuideNamesEachMethodOfABuilder(Class<?> builder) throws IOException {
        String section = Files.readString(GUIDE)
                .lines()
                .dropWhile(
                        line -> !line.equals("## " + builder.getEnclosingClass().getSimpleName()))
                .skip(1)
                .takeWhile(line -> !line.startsWith("## "))
                .collect(Collectors.joining("\n"));
        assertThat(Stream.of(builder.getDeclaredMethods())
                        .filter(each -> Modifier.isPublic(each.getModifiers()) && each.getReturnType() == builder)
                        .map(Method::getName)
                        .distinct()
                        .filter(name -> !section.contains("`" + name + "`") && !section.contains("`" + name + "(")))
                .isEmpty();
    }

    private static <T> String row(SessionOption<T> option) {
        String flag = option.hasText() ? "yes" : "–";
        return "| `" + option.name() + "` | " + byDefault(option) + " | " + flag + " | " + option.meaning() + " |";
    }

    private static <T> String byDefault(SessionOption<T> option) {
        T value = option.byDefault();
        return switch (value) {
            case null -> "none";
            case Boolean flag -> flag.toString();
            case Integer number when number == Integer.MAX_VALUE -> "no limit";
            case Integer number -> "%,d".formatted(number);
            default -> option.hasText() ? "`" + option.print(value) + "`" : "–";
        };
    }
}
