package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every row of docs/ep-context.md has a test that names it, and every test names rows that are there. */
class RowsTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "ep-context.md");
    private static final Path TESTS = Path.of("src", "test", "java", "dev", "millrace", "session");
    private static final Pattern NAMED = Pattern.compile("@Rows\\((?:\\{([0-9, ]+)}|([0-9]+))\\)\\s+void \\w+\\(");
    /** The numbers that a case begins with: {@code 7}, {@code 3, 4}, {@code 15 to 17, 22}. */
    private static final Pattern CASES =
            Pattern.compile("\\| ((?:\\d+(?: to \\d+)?(?:, )?)+) [^|]*\\|([^|]*)\\|([^|]*)\\|");

    private static final Set<Integer> ALL =
            new TreeSet<>(IntStream.concat(IntStream.rangeClosed(1, 106), IntStream.rangeClosed(137, 143))
                    .boxed()
                    .toList());

    private static Set<Integer> named() throws IOException {
        var rows = new TreeSet<Integer>();
        try (Stream<Path> files = Files.list(TESTS)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                NAMED.matcher(Files.readString(file))
                        .results()
                        .forEach(each -> rows.addAll(numbers(each.group(1) == null ? each.group(2) : each.group(1))));
            }
        }
        return rows;
    }

    private static Set<Integer> numbers(String text) {
        var numbers = new TreeSet<Integer>();
        for (String part : text.split(",", -1)) {
            String[] ends = part.strip().split(" to ", -1);
            int last = Integer.parseInt(ends[ends.length - 1]);
            for (int row = Integer.parseInt(ends[0]); row <= last; row++) {
                numbers.add(row);
            }
        }
        return numbers;
    }

    @Test
    void everyRowHasATest() throws IOException {
        assertThat(named()).isEqualTo(ALL);
    }

    @Test
    void everyRowHasALineThatSaysWhatIsDifferent() throws IOException {
        var told = new TreeSet<Integer>();
        for (String line : Files.readAllLines(DOCUMENT)) {
            Matcher found = CASES.matcher(line);
            if (found.matches()) {
                assertThat(found.group(2)).as(line).isNotBlank();
                told.addAll(numbers(found.group(1)));
            }
        }
        assertThat(told).isEqualTo(ALL);
    }
}
