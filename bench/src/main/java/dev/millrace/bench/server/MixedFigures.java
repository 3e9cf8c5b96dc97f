package dev.millrace.bench.server;

import dev.millrace.bench.server.ServiceLoad.Figures;
import java.io.PrintWriter;
import java.util.List;

/**
 * Vectors of sentences and sequences of speech at the same time, beside the plain service.
 *
 * @param connections the clients, half of each kind
 * @param rounds the turns of each service
 */
record MixedFigures(ServiceLoad load, int connections, int rounds) {
    void print(PrintWriter out) throws Exception {
        try (var folder = new ServedFolder().sentences().speech();
                var ours = new ServiceProcess(ServedKind.MILLRACE, folder.path());
                var plain = new ServiceProcess(ServedKind.PLAIN, folder.path())) {
            for (int round = 0; round < rounds; round++) {
                print(out, "ours", ours, ServedKind.MILLRACE);
                print(out, "plain service", plain, ServedKind.PLAIN);
            }
            out.println("no request failed; peak of resident memory: ours %d MiB, plain service %d MiB"
                    .formatted(ours.peakMib(), plain.peakMib()));
            out.flush();
        }
    }

    private void print(PrintWriter out, String name, ServiceProcess service, ServedKind kind) throws Exception {
        int half = connections / 2;
        List<Figures> both = load.measureKinds(
                service,
                List.of(Clients.ofSentences(service, kind, connections - half), Clients.ofSpeech(service, kind, half)));
        out.println(name + ": MiniLM " + speed(both.get(0)) + "; Silero " + speed(both.get(1))
                + "; %.0f µs of processor time a request".formatted(both.get(0).processorMicros()));
        out.flush();
    }

    private static String speed(Figures figures) {
        return "%.1f/s, p50 %.1f ms, p99 %.1f ms"
                .formatted(figures.perSecond(), figures.medianMillis(), figures.tailMillis());
    }
}
