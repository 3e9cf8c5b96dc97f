package dev.millrace.bench.server;

import java.util.List;
import java.util.Locale;

/**
 * A chart of lines as an SVG image. Places on the horizontal axis have equal distances, whatever their numbers are.
 *
 * @param places the numbers below the horizontal axis
 */
record LineChart(String title, List<Integer> places, List<Line> lines) {
    /** A line, with a value for each place. */
    record Line(String name, List<Double> values) {}

    private static final int WIDTH = 560;
    private static final int HEIGHT = 300;
    private static final int LEFT = 60;
    private static final int RIGHT = 90;
    private static final int TOP = 44;
    private static final int BOTTOM = 34;
    private static final int STEPS = 4;
    private static final List<String> COLOURS = List.of("#4477aa", "#ee8866", "#44aa77", "#aa4499");

    String toSvg() {
        double most = lines.stream()
                .flatMap(line -> line.values.stream())
                .mapToDouble(each -> each)
                .max()
                .orElse(1);
        double end = Math.ceil(most / 100) * 100;
        var svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\""
                        + " font-size=\"11\">",
                WIDTH,
                HEIGHT);
        add(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>");
        add(svg, "<text x=\"10\" y=\"22\" font-size=\"15\" font-weight=\"bold\">%s</text>", title);
        for (int i = 0; i <= STEPS; i++) {
            double value = end * i / STEPS;
            double y = y(value, end);
            add(
                    svg,
                    "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" stroke=\"#dddddd\"/>",
                    LEFT,
                    y,
                    WIDTH - RIGHT,
                    y);
            add(svg, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>", LEFT - 6, y + 4, value);
        }
        for (int i = 0; i < places.size(); i++) {
            add(
                    svg,
                    "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>",
                    x(i),
                    HEIGHT - BOTTOM + 18,
                    places.get(i));
        }
        for (int i = 0; i < lines.size(); i++) {
            draw(svg, lines.get(i), COLOURS.get(i % COLOURS.size()), end);
        }
        return svg.append("</svg>\n").toString();
    }

    private void draw(StringBuilder svg, Line line, String colour, double end) {
        var points = new StringBuilder();
        for (int i = 0; i < line.values.size(); i++) {
            points.append(String.format(Locale.ROOT, "%.1f,%.1f ", x(i), y(line.values.get(i), end)));
        }
        add(
                svg,
                "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>",
                points.toString().strip(),
                colour);
        add(
                svg,
                "<text x=\"%d\" y=\"%.1f\" fill=\"%s\">%s</text>",
                WIDTH - RIGHT + 8,
                y(line.values.getLast(), end) + 4,
                colour,
                line.name);
    }

    private double x(int place) {
        return LEFT + (WIDTH - RIGHT - LEFT) * (place + 0.5) / places.size();
    }

    private static double y(double value, double end) {
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * value / end;
    }

    private static void add(StringBuilder svg, String element, Object... values) {
        svg.append(String.format(Locale.ROOT, element, values)).append('\n');
    }
}
