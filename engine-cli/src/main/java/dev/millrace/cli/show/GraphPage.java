package dev.millrace.cli.show;

import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.scheduler.plan.Slot;
import dev.millrace.session.Session;
import dev.millrace.session.SessionReport.PartitionInfo;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A page that draws a session's plan: a box per step, coloured by provider, and the partitions as a table. No network. */
public final class GraphPage {
    private static final List<String> COLOURS = List.of("#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756");
    private static final int BOX_WIDTH = 168;
    private static final int BOX_HEIGHT = 34;
    private static final int GAP_X = 18;
    private static final int GAP_Y = 30;

    private final Plan plan;
    private final Map<String, PartitionInfo> compiled = new HashMap<>();
    private final Map<String, String> colours = new LinkedHashMap<>();
    private final LayeredLayout layout;
    private final StringBuilder page = new StringBuilder();

    private GraphPage(Session session) {
        plan = session.plan();
        layout = new LayeredLayout(plan.steps());
        for (PartitionInfo part : session.report().partitions()) {
            if (part.compiled()) {
                compiled.put(part.name(), part);
            }
            colours.computeIfAbsent(part.provider(), key -> COLOURS.get(colours.size() % COLOURS.size()));
        }
    }

    public static String of(String title, Session session) {
        var page = new GraphPage(session);
        page.head(title);
        page.table(session.report().partitions());
        page.drawing();
        page.page.append("</body></html>\n");
        return page.page.toString();
    }

    private void head(String title) {
        page.append("""
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>%s</title>
            <style>
            body { font: 13px system-ui, sans-serif; margin: 16px; color: #222; background: #fff }
            table { border-collapse: collapse; margin-bottom: 16px }
            td, th { padding: 2px 10px; text-align: left; border-bottom: 1px solid #ddd }
            .key { display: inline-block; width: 12px; height: 12px; border-radius: 2px; margin-right: 6px }
            .drawing { overflow: auto; border: 1px solid #ddd }
            text { font: 11px system-ui, sans-serif; fill: #fff }
            path { fill: none; stroke: #999; stroke-width: 1 }
            g.step:hover rect { stroke: #000; stroke-width: 2 }
            details { margin-bottom: 12px }
            </style></head><body>
            <h1>%s</h1>
            <p>%d steps, %d partitions compiled. Hover over a step for its values.</p>
            """.formatted(escaped(title), escaped(title), plan.steps().size(), compiled.size()))
                .append("<p>");
        colours.forEach((provider, colour) -> page.append("<span class=\"key\" style=\"background:")
                .append(colour)
                .append("\"></span>")
                .append(escaped(provider))
                .append(" &nbsp; "));
        page.append("</p>\n");
    }

    private void table(List<PartitionInfo> partitions) {
        page.append("<details><summary>Partitions</summary><table>")
                .append("<tr><th>name</th><th>provider</th><th>kind</th><th>nodes</th><th>operators</th></tr>\n");
        for (PartitionInfo part : partitions) {
            page.append("<tr><td>%s</td><td>%s</td><td>%s</td><td>%d</td><td>%s</td></tr>%n"
                    .formatted(
                            escaped(part.name()),
                            escaped(part.provider()),
                            part.compiled() ? "compiled" : "kernels",
                            part.nodes(),
                            escaped(SessionText.counts(part.operators()))));
        }
        page.append("</table></details>\n");
    }

    private void drawing() {
        int width = layout.widest() * (BOX_WIDTH + GAP_X) + GAP_X;
        int height = layout.rowCount() * (BOX_HEIGHT + GAP_Y) + GAP_Y;
        page.append("<div class=\"drawing\"><svg width=\"%d\" height=\"%d\">%n".formatted(width, height));
        for (PlanStep step : plan.steps()) {
            for (int producer : layout.producers(step.index())) {
                edge(producer, step.index(), width);
            }
        }
        plan.steps().forEach(step -> box(step, width));
        page.append("</svg></div>\n");
    }

    private double middle(int step, int width) {
        return width / 2.0 + layout.column(step) * (BOX_WIDTH + GAP_X);
    }

    private int top(int step) {
        return GAP_Y + layout.row(step) * (BOX_HEIGHT + GAP_Y);
    }

    private void edge(int from, int to, int width) {
        double x1 = middle(from, width);
        double x2 = middle(to, width);
        int y1 = top(from) + BOX_HEIGHT;
        int y2 = top(to);
        int bend = (y1 + y2) / 2;
        page.append("<path d=\"M%.0f %d C%.0f %d %.0f %d %.0f %d\"/>%n".formatted(x1, y1, x1, bend, x2, bend, x2, y2));
    }

    private void box(PlanStep step, int width) {
        double left = middle(step.index(), width) - BOX_WIDTH / 2.0;
        int top = top(step.index());
        PartitionInfo part = compiled.get(step.node().name());
        String label = part == null ? step.node().op().toString() : SessionText.counts(part.operators());
        page.append("<g class=\"step\"><title>").append(escaped(details(step))).append("</title>");
        page.append("<rect x=\"%.0f\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\" fill=\"%s\"/>"
                .formatted(left, top, BOX_WIDTH, BOX_HEIGHT, colours.getOrDefault(step.provider(), "#888")));
        page.append("<text x=\"%.0f\" y=\"%d\">%s</text>".formatted(left + 6, top + 14, escaped(cut(label))));
        page.append("<text x=\"%.0f\" y=\"%d\" opacity=\"0.8\">%s</text></g>%n"
                .formatted(left + 6, top + 28, escaped(cut(step.node().name()))));
    }

    private String details(PlanStep step) {
        var lines = new ArrayList<String>();
        lines.add(step.describe());
        step.inputs().stream()
                .filter(slot -> slot != PlanStep.NONE)
                .forEach(slot -> lines.add("in  " + value(plan.slots().get(slot))));
        step.outputs().stream()
                .filter(slot -> slot != PlanStep.NONE)
                .forEach(slot -> lines.add("out " + value(plan.slots().get(slot))));
        return String.join("\n", lines);
    }

    private static String value(Slot slot) {
        return slot.name()
                + (slot.type() == null ? "" : ": " + slot.type())
                + (slot.constant() == null ? "" : " constant");
    }

    private static String cut(String text) {
        return text.length() <= 25 ? text : text.substring(0, 24) + "…";
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
