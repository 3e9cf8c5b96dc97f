package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.session.SessionOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests that the guide's tables of session options are those of {@link SessionOption}. */
class OptionTableTest {
    private static final Path GUIDE = Path.of("../docs/guide/options.md");

    @Test
    void theGuideListsEachOptionWithItsDefaultAndMeaning() throws IOException {
        assertThat(rows("## SessionOptions"))
                .containsExactlyElementsOf(
                        SessionOption.all().stream().map(OptionTableTest::row).toList());
    }

    @Test
    void theGuideListsEachKey() throws IOException {
        assertThat(rows("### ONNX Runtime's keys"))
                .containsAll(SessionOption.all().stream()
                        .filter(option -> option.key() != null)
                        .map(option -> "| `" + option.key() + "` | `SessionOptions." + option.name() + "` |")
                        .toList());
    }

    /** The rows of the first table under a heading, without its head. */
    private static List<String> rows(String heading) throws IOException {
        return Files.readString(GUIDE)
                .lines()
                .dropWhile(line -> !line.equals(heading))
                .dropWhile(line -> !line.startsWith("|"))
                .skip(2)
                .takeWhile(line -> line.startsWith("|"))
                .toList();
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
