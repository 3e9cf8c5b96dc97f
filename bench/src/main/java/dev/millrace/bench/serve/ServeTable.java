package dev.millrace.bench.serve;

import dev.millrace.bench.compare.Numbers;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The figures of all turns for readers: medians over the rounds, and ratios of neighbouring turns. */
final class ServeTable {
    private final List<Turn> turns;
    private final List<String> models;
    private final @Nullable ReplacingFigures replaced;
    private final boolean markdown;

    ServeTable(List<Turn> turns, List<String> models, @Nullable ReplacingFigures replaced, boolean markdown) {
        this.turns = turns;
        this.models = models;
        this.replaced = replaced;
        this.markdown = markdown;
    }

    void print(PrintWriter out) {
        if (!turns.isEmpty()) {
            printTurns(out);
        }
        if (replaced != null) {
            out.println(
                    "%d replacements under load: %d requests failed; memory at rest %.0f MiB, then %.0f MiB (%.2f); peak %.0f MiB"
                            .formatted(
                                    replaced.replacements(),
                                    replaced.failures(),
                                    replaced.beforeMib(),
                                    replaced.afterMib(),
                                    replaced.afterMib() / replaced.beforeMib(),
                                    replaced.peakMib()));
        }
    }

    private void printTurns(PrintWriter out) {
        var rows = new ArrayList<List<String>>();
        rows.add(List.of(
                "side",
                "answers/s",
                "failed",
                "fairness",
                "memory at a tenth, MiB",
                "half",
                "end",
                "end ÷ tenth",
                "beside the heap",
                "end ÷ tenth",
                "peak, MiB",
                "light alone, p95 µs",
                "beside heavy, p95 µs",
                "÷ alone",
                "heavy/s"));
        sides().forEach(side -> rows.add(row(side)));
        print(out, rows);
        printModels(out);
        for (ServeSide reference : sides()) {
            if (reference != ServeSide.OURS) {
                out.println(versus(reference));
            }
        }
    }

    private List<ServeSide> sides() {
        return turns.stream().map(Turn::side).distinct().toList();
    }

    private List<String> row(ServeSide side) {
        return List.of(
                side.label(),
                median(side, "%.1f", turn -> turn.load().total()),
                Long.toString(of(side).stream()
                        .mapToLong(turn -> turn.load().failures() + turn.light().failures())
                        .sum()),
                median(side, "%.3f", turn -> turn.load().fairness()),
                median(side, "%.0f", turn -> turn.load().resident().tenth().mib()),
                median(side, "%.0f", turn -> turn.load().resident().half().mib()),
                median(side, "%.0f", turn -> turn.load().resident().end().mib()),
                median(side, "%.2f", turn -> turn.load().resident().growth()),
                median(side, "%.0f", turn -> turn.load().resident().end().besideHeapMib()),
                median(side, "%.2f", turn -> turn.load().resident().growthBesideHeap()),
                median(side, "%.0f", turn -> turn.load().peakMib()),
                median(side, "%.0f", turn -> turn.light().aloneMicros()),
                median(side, "%.0f", turn -> turn.light().besideMicros()),
                median(side, "%.2f", turn -> turn.light().ratio()),
                median(side, "%.1f", turn -> turn.light().heavyPerSecond()));
    }

    private void printModels(PrintWriter out) {
        var rows = new ArrayList<List<String>>();
        var heading = new ArrayList<>(List.of("answers/s of"));
        sides().forEach(side -> heading.add(side.label()));
        rows.add(heading);
        for (int i = 0; i < models.size(); i++) {
            int model = i;
            var row = new ArrayList<>(List.of(models.get(model)));
            sides().forEach(side ->
                    row.add(median(side, "%.1f", turn -> turn.load().perSecond().get(model))));
            rows.add(row);
        }
        print(out, rows);
    }

    private String versus(ServeSide reference) {
        return "ours beside %s: answers %.2f, mean of the models' answers %.2f, peak memory %.2f"
                .formatted(
                        reference.label(),
                        ratio(
                                reference,
                                (ours, theirs) ->
                                        ours.load().total() / theirs.load().total()),
                        ratio(reference, (ours, theirs) -> ours.load().ratioTo(theirs.load())),
                        ratio(
                                reference,
                                (ours, theirs) ->
                                        ours.load().peakMib() / theirs.load().peakMib()));
    }

    private List<Turn> of(ServeSide side) {
        return turns.stream().filter(turn -> turn.side() == side).toList();
    }

    private String median(ServeSide side, String format, ToDoubleFunction<Turn> figure) {
        return Numbers.format(
                format,
                Numbers.median(of(side).stream().mapToDouble(figure).boxed().toList()));
    }

    private double ratio(ServeSide reference, ToDoubleBiFunction<Turn, Turn> figure) {
        List<Turn> ours = of(ServeSide.OURS);
        List<Turn> theirs = of(reference);
        var ratios = new ArrayList<Double>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(figure.applyAsDouble(ours.get(i), theirs.get(i)));
        }
        return Numbers.median(ratios);
    }

    private void print(PrintWriter out, List<List<String>> rows) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        rows.forEach(row -> {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        for (List<String> row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                String pad = " ".repeat(widths[i] - row.get(i).length());
                line.append(markdown ? "| " : i == 0 ? "" : "  ")
                        .append(i == 0 ? row.get(i) + pad : pad + row.get(i))
                        .append(markdown ? " " : "");
            }
            out.println(line.append(markdown ? "|" : ""));
            if (markdown && row == rows.getFirst()) {
                out.println("|---" + "|--:".repeat(columns - 1) + "|");
            }
        }
        out.println();
    }
}
