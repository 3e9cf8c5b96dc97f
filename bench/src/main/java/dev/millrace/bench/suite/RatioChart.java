package dev.millrace.bench.suite;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A chart of ratios as horizontal bars of an SVG image, with a line at 1. Bars longer than the axis end at its
 * edge; their numbers tell their lengths.
 *
 * @param series the meanings of the bars of one place
 */
record RatioChart(String title, List<String> series, List<Bars> places) {
    /**
     * The bars of one place, one for each series; null for a missing one.
     *
     * @param strong whether this summarises the places above it
     */
    record Bars(String label, List<@Nullable Double> values, boolean strong) {
        Bars {
            values = Collections.unmodifiableList(new ArrayList<>(values));
        }
    }

    private static final int LABELS = 300;
    private static final int AXIS = 560;
    private static final int NUMBERS = 60;
    private static final int TOP = 64;
    private static final int BAR = 11;
    private static final int GAP = 7;
    private static final double LEAST_END = 2;
    private static final double MOST_END = 6;
    private static final String EDGE = " stroke=\"white\" stroke-width=\"3\" paint-order=\"stroke\"";
    private static final List<String> COLOURS = List.of("#4477aa", "#ee8866", "#44aa77", "#aa4499");

    String toSvg() {
        int place = series.size() * BAR + GAP;
        int bottom = TOP + places.size() * place;
        int width = LABELS + AXIS + NUMBERS;
        double end = end();
        var svg = new StringBuilder();
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\""
                .formatted(width, bottom + 30, width, bottom + 30));
        svg.append(" font-family=\"sans-serif\" font-size=\"11\">\n");
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n");
        svg.append(text(10, 22, "font-size=\"15\" font-weight=\"bold\"", title));
        legend(svg);
        grid(svg, end, bottom);
        for (int i = 0; i < places.size(); i++) {
            boxes(svg, places.get(i), TOP + i * place, end);
        }
        svg.append(line(LABELS + AXIS / end, TOP - 8, bottom, "stroke=\"#222222\" stroke-width=\"1.5\""));
        for (int i = 0; i < places.size(); i++) {
            words(svg, places.get(i), TOP + i * place, end);
        }
        return svg.append("</svg>\n").toString();
    }

    /** Returns the end of the axis: an integer that covers all bars, within limits. */
    private double end() {
        double most = LEAST_END;
        for (Bars bars : places) {
            for (Double value : bars.values()) {
                most = value == null ? most : Math.max(most, Math.ceil(value));
            }
        }
        return Math.min(most, MOST_END);
    }

    private void legend(StringBuilder svg) {
        int x = LABELS;
        for (int i = 0; i < series.size(); i++) {
            svg.append(box(x, 34, 12, 10, colour(i), 1));
            svg.append(text(x + 17, 43, "", series.get(i)));
            x += 110;
        }
    }

    private static void grid(StringBuilder svg, double end, int bottom) {
        double step = end > 4 ? 1 : 0.5;
        for (double at = 0; at <= end; at += step) {
            double x = LABELS + AXIS * at / end;
            svg.append(line(x, TOP - 8, bottom, "stroke=\"#dddddd\""));
            svg.append(text(x, bottom + 16, "text-anchor=\"middle\" fill=\"#555555\"", number("%.1f", at)));
        }
    }

    private void boxes(StringBuilder svg, Bars bars, int top, double end) {
        for (int i = 0; i < bars.values().size(); i++) {
            Double value = bars.values().get(i);
            if (value != null) {
                svg.append(
                        box(LABELS, top + i * BAR, length(value, end), BAR - 1, colour(i), bars.strong() ? 1 : 0.75));
            }
        }
    }

    /** Adds labels and numbers, with a white outline that separates them from the line behind them. */
    private void words(StringBuilder svg, Bars bars, int top, double end) {
        double middle = top + series.size() * BAR / 2.0 + 4;
        String weight = bars.strong() ? " font-weight=\"bold\"" : "";
        svg.append(text(LABELS - 8, middle, "text-anchor=\"end\"" + weight, bars.label()));
        if (bars.values().stream().allMatch(Objects::isNull)) {
            svg.append(text(LABELS + 5, middle, "fill=\"#777777\"" + EDGE, "not measured"));
        }
        for (int i = 0; i < bars.values().size(); i++) {
            Double value = bars.values().get(i);
            if (value != null) {
                double y = top + (i + 1) * BAR - 2;
                String style = "font-size=\"10\"" + weight + EDGE;
                svg.append(text(LABELS + length(value, end) + 4, y, style, number("%.2f", value)));
            }
        }
    }

    private static double length(double value, double end) {
        return AXIS * Math.min(value, end) / end;
    }

    private static String colour(int index) {
        return COLOURS.get(index % COLOURS.size());
    }

    private static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    private static String box(double x, double y, double width, double height, String fill, double opacity) {
        return String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"%.2f\"/>\n",
                x,
                y,
                width,
                height,
                fill,
                opacity);
    }

    private static String line(double x, double from, double to, String style) {
        return String.format(
                Locale.ROOT, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" %s/>\n", x, from, x, to, style);
    }

    private static String text(double x, double y, String style, String content) {
        String escaped = content.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
        return String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" %s>%s</text>\n", x, y, style, escaped);
    }
}
