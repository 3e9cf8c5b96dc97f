package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every row of docs/internals/ep-context-acceptance.md has a line that says what is different, and the test that the line names.
 */
class RowsTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "internals", "ep-context-acceptance.md");
    private static final Path TESTS = Path.of("src", "test", "java", "dev", "millrace", "session");
    /** Shows rows where no session can: it names no rows, and the document names its tests. */
    private static final Path STREAMS = Path.of(
            "..", "engine-scheduler", "src", "test", "java", "dev", "millrace", "scheduler", "run", "StreamsTest.java");

    private static final Pattern NAMED =
            Pattern.compile("@Rows\\((?:\\{([0-9, ]+)}|([0-9]+))\\)\\s+(?:@.*\\s+)?void \\w+\\(");
    /** The numbers that a case begins with: {@code 7}, {@code 3, 4}, {@code 15 to 17, 22}. */
    private static final String NUMBERS = "\\| ((?:\\d+(?: to \\d+)?(?:, )?)+) [^|]*";

    private static final Pattern CASES = Pattern.compile(NUMBERS + "\\|([^|]*)\\|([^|]*)\\|");
    private static final Pattern OF_STREAMS = Pattern.compile("`StreamsTest\\.(\\w+)…`");

    private static final Set<Integer> ALL =
            new TreeSet<>(IntStream.rangeClosed(1, 143).boxed().toList());

    private static Set<Integer> named() throws IOException {
        var rows = new TreeSet<Integer>();
        try (Stream<Path> files = Files.walk(TESTS)) {
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

    private static List<MatchResult> lines(Pattern form) throws IOException {
        return Files.readAllLines(DOCUMENT).stream()
                .map(form::matcher)
                .filter(Matcher::matches)
                .map(Matcher::toMatchResult)
                .toList();
    }

    @Test
    void everyRowWhoseLineNamesATestHasOneThatNamesIt() throws IOException {
        var shown = new TreeSet<Integer>();
        for (MatchResult line : lines(CASES)) {
            if (!line.group(3).isBlank() && !line.group(3).contains("StreamsTest")) {
                shown.addAll(numbers(line.group(1)));
            }
        }
        assertThat(named()).isEqualTo(shown);
    }

    @Test
    void everyRowOfStreamsNamesTestsThatThereAre() throws IOException {
        String tests = Files.readString(STREAMS);
        var rows = new TreeSet<Integer>();
        for (MatchResult line : lines(CASES)) {
            OF_STREAMS.matcher(line.group(3)).results().forEach(test -> {
                assertThat(tests).as(line.group()).contains("void " + test.group(1));
                rows.addAll(numbers(line.group(1)));
            });
        }
        assertThat(rows).containsExactly(122, 123, 124, 125, 126, 129);
    }

    @Test
    void everyRowHasALineThatSaysWhatIsDifferent() throws IOException {
        var told = new TreeSet<Integer>();
        for (MatchResult line : lines(CASES)) {
            assertThat(line.group(2)).as(line.group()).isNotBlank();
            told.addAll(numbers(line.group(1)));
        }
        assertThat(told).isEqualTo(ALL);
    }
}
