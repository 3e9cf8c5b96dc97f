package dev.millrace.bench.server;

import dev.millrace.bench.server.ServiceLoad.Figures;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The model server by threads, clients, the delay of batches and the number of models, as tables of Markdown.
 *
 * @param svg the file of the chart; null for none
 */
record SizingFigures(ServiceLoad load, @Nullable Path svg) {
    private static final List<Integer> THREADS = List.of(1, 2);
    private static final List<Integer> CLIENTS = List.of(1, 4, 16, 64);
    private static final List<Integer> DELAYS = List.of(0, 1000, 5000);
    private static final List<Integer> MODELS = List.of(1, 2, 4);
    private static final int MOST_ROWS = 16;
    private static final int BATCHED_CLIENTS = 16;
    private static final int BATCHED_TOKENS = 16;
    private static final int MICROS = 1000;

    void print(PrintWriter out) throws Exception {
        byThreadsAndClients(out);
        byDelay(out);
        byModels(out);
    }

    private void byThreadsAndClients(PrintWriter out) throws Exception {
        var lines = new TreeMap<Integer, List<Double>>();
        out.println(
                "| threads | clients | MiniLM, answers per second | p50, ms | p99, ms | processor time a request, ms"
                        + " |");
        out.println("|---|---|---|---|---|---|");
        for (int threads : THREADS) {
            try (var folder = new ServedFolder().sentences();
                    var service = ServiceProcess.ours(folder.path(), threads)) {
                var line = new ArrayList<Double>();
                for (int clients : CLIENTS) {
                    Figures figures = load.measure(service, Clients.ofSentences(service, ServedKind.MILLRACE, clients));
                    line.add(figures.perSecond());
                    out.println("| %d | %d | %s |".formatted(threads, clients, cells(figures)));
                    out.flush();
                }
                lines.put(threads, line);
            }
        }
        if (svg != null) {
            Files.writeString(svg, chart(lines).toSvg());
        }
        out.println();
    }

    private static LineChart chart(Map<Integer, List<Double>> lines) {
        var named = new ArrayList<LineChart.Line>();
        lines.forEach((threads, line) ->
                named.add(new LineChart.Line(threads + (threads == 1 ? " thread" : " threads"), line)));
        return new LineChart("MiniLM, answers per second by clients", CLIENTS, named);
    }

    private void byDelay(PrintWriter out) throws Exception {
        out.println("| delay of batches, ms | clients | MiniLM 1×16, answers per second | p50, ms | p99, ms | processor"
                + " time a request, ms |");
        out.println("|---|---|---|---|---|---|");
        try (var folder = new ServedFolder().sentences();
                var service = ServiceProcess.ours(folder.path())) {
            batchRow(out, service, "no batches");
        }
        for (int delay : DELAYS) {
            try (var folder = new ServedFolder().sentences(MOST_ROWS, delay);
                    var service = ServiceProcess.ours(folder.path())) {
                batchRow(out, service, Integer.toString(delay / MICROS));
            }
        }
        out.println();
    }

    private void batchRow(PrintWriter out, ServiceProcess service, String delay) throws Exception {
        var clients =
                Clients.ofSentences(service, ServedKind.MILLRACE, BATCHED_CLIENTS, BATCHED_TOKENS, BATCHED_TOKENS);
        out.println("| %s | %d | %s |".formatted(delay, BATCHED_CLIENTS, cells(load.measure(service, clients))));
        out.flush();
    }

    private static String cells(Figures figures) {
        return "%.0f | %.1f | %.1f | %.1f"
                .formatted(
                        figures.perSecond(),
                        figures.medianMillis(),
                        figures.tailMillis(),
                        figures.processorMicros() / MICROS);
    }

    private static void byModels(PrintWriter out) throws Exception {
        out.println("| copies of MiniLM | resident memory when ready, MiB |");
        out.println("|---|---|");
        for (int models : MODELS) {
            try (var folder = new ServedFolder()) {
                for (int i = 0; i < models; i++) {
                    folder.copy(i);
                }
                try (var service = ServiceProcess.ours(folder.path())) {
                    out.println("| %d | %d |".formatted(models, service.residentMib()));
                    out.flush();
                }
            }
        }
    }
}
