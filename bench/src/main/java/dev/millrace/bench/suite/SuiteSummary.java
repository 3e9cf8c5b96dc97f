package dev.millrace.bench.suite;

import dev.millrace.bench.compare.Numbers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All rows of a run of the suite: a line per case, the mean of each group, and the least ratio of all. */
final class SuiteSummary {
    private final List<SuiteRow> rows;
    private final List<Integer> threads;

    SuiteSummary(List<SuiteRow> rows) {
        this.rows = List.copyOf(rows);
        threads = rows.stream().map(SuiteRow::threads).distinct().sorted().toList();
    }

    List<Integer> threads() {
        return threads;
    }

    /** The rows of each case, in the order in which cases were first seen. */
    private Map<String, List<SuiteRow>> cases(Group group) {
        return rows.stream()
                .filter(row -> row.group() == group)
                .collect(Collectors.groupingBy(SuiteRow::name, LinkedHashMap::new, Collectors.toList()));
    }

    private List<Group> groups() {
        return rows.stream().map(SuiteRow::group).distinct().toList();
    }

    private static @Nullable SuiteRow with(List<SuiteRow> rows, int threads) {
        return rows.stream().filter(row -> row.threads() == threads).findFirst().orElse(null);
    }

    private List<SuiteRow> measured(@Nullable Group group, int count) {
        return rows.stream()
                .filter(row -> (group == null || row.group() == group) && row.threads() == count && row.ratio() != null)
                .toList();
    }

    private @Nullable Double mean(Group group, int count) {
        List<Double> ratios = measured(group, count).stream()
                .map(row -> Objects.requireNonNull(row.ratio()))
                .toList();
        return ratios.isEmpty() ? null : (Double) Numbers.geometricMean(ratios);
    }

    private @Nullable SuiteRow least(@Nullable Group group, int count) {
        SuiteRow least = null;
        for (SuiteRow row : measured(group, count)) {
            if (least == null || Objects.requireNonNull(row.ratio()) < Objects.requireNonNull(least.ratio())) {
                least = row;
            }
        }
        return least;
    }

    /** A table of Markdown for each group, then one of the means. */
    String toMarkdown() {
        var text = new StringBuilder();
        for (Group group : groups()) {
            text.append("### ").append(group.label()).append("\n\n| model |");
            for (int count : threads) {
                text.append(" %s: ours, µs | peer, µs | ratio | of the peak |".formatted(threadsText(count)));
            }
            text.append(" answers differ by |\n|---|")
                    .append("---|".repeat(4 * threads.size() + 1))
                    .append('\n');
            cases(group).forEach((name, ofCase) -> text.append(line(name, ofCase)));
            text.append('\n');
        }
        return text.append(means()).toString();
    }

    private String line(String name, List<SuiteRow> ofCase) {
        var line = new StringBuilder("| " + name + " |");
        for (int count : threads) {
            SuiteRow row = with(ofCase, count);
            line.append(" %s | %s | %s | %s |"
                    .formatted(
                            Numbers.format("%.1f", row == null ? null : row.ourMicros()),
                            Numbers.format("%.1f", row == null ? null : row.referenceMicros()),
                            Numbers.format("%.2f", row == null ? null : row.ratio()),
                            Numbers.format("%.0f %%", row == null ? null : row.percentOfPeak())));
        }
        return line.append(' ').append(differences(ofCase)).append(" |\n").toString();
    }

    /** The worst of all thread counts; what is not measured says why instead. */
    private static String differences(List<SuiteRow> ofCase) {
        Double ours = worst(ofCase, SuiteRow::difference);
        Double reference = worst(ofCase, SuiteRow::referenceDifference);
        String note = ofCase.stream()
                .map(SuiteRow::note)
                .distinct()
                .collect(Collectors.joining(" "))
                .replace("|", "\\|")
                .replace('\n', ' ');
        String numbers = Numbers.format("%.1e", ours)
                + (reference == null ? "" : " (peer " + Numbers.format("%.1e", reference) + ")");
        return (numbers + " " + note).strip();
    }

    private static @Nullable Double worst(List<SuiteRow> rows, Function<SuiteRow, @Nullable Double> of) {
        Double worst = null;
        for (SuiteRow row : rows) {
            Double value = of.apply(row);
            if (value != null && (worst == null || value > worst)) {
                worst = value;
            }
        }
        return worst;
    }

    private String means() {
        var text =
                new StringBuilder("| group | threads | cases | mean ratio | least | of |\n|---|---|---|---|---|---|\n");
        for (Group group : groups()) {
            for (int count : threads) {
                SuiteRow least = least(group, count);
                text.append("| %s | %d | %d of %d | %s | %s | %s |\n"
                        .formatted(
                                group.label(),
                                count,
                                measured(group, count).size(),
                                cases(group).size(),
                                Numbers.format("%.2f", mean(group, count)),
                                Numbers.format("%.2f", least == null ? null : least.ratio()),
                                least == null ? "" : least.name()));
            }
        }
        return text.toString();
    }

    static String threadsText(int count) {
        return count == 1 ? "1 thread" : count + " threads";
    }

    /** The ratios of all cases and the mean of each group. */
    RatioChart chart() {
        var bars = new ArrayList<RatioChart.Bars>();
        for (Group group : groups()) {
            cases(group).forEach((name, ofCase) -> {
                var ratios = new ArrayList<@Nullable Double>();
                for (int count : threads) {
                    SuiteRow row = with(ofCase, count);
                    ratios.add(row == null ? null : row.ratio());
                }
                bars.add(new RatioChart.Bars(name, ratios, false));
            });
            var means = new ArrayList<@Nullable Double>();
            threads.forEach(count -> means.add(mean(group, count)));
            bars.add(new RatioChart.Bars(group.label() + ": geometric mean", means, true));
        }
        return new RatioChart(
                "ONNX Runtime's time ÷ ours: more is better",
                threads.stream().map(SuiteSummary::threadsText).toList(),
                bars);
    }
}
