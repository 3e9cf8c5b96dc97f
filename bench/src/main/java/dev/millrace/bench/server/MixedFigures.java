package dev.millrace.bench.server;

import dev.millrace.bench.server.ServiceLoad.Figures;
import java.io.PrintWriter;
import java.util.EnumMap;
import java.util.List;
import java.util.Objects;

/**
 * Vectors of sentences and sequences of speech at the same time, beside another service.
 *
 * @param connections the clients, half of each kind
 * @param rounds the turns of each service
 */
record MixedFigures(ServiceLoad load, PeerService peer, int connections, int rounds) {
    /** @param isAlone whether the other service is left out */
    void print(PrintWriter out, boolean isAlone) throws Exception {
        List<ServedKind> kinds = isAlone ? List.of(ServedKind.MILLRACE) : List.of(ServedKind.MILLRACE, ServedKind.PEER);
        var services = new EnumMap<ServedKind, ServiceProcess>(ServedKind.class);
        try (var folder = new ServedFolder().sentences().speech()) {
            for (ServedKind kind : kinds) {
                services.put(
                        kind,
                        kind == ServedKind.MILLRACE
                                ? ServiceProcess.ours(folder.path())
                                : ServiceProcess.of(peer, folder.path()));
            }
            for (int round = 0; round < rounds; round++) {
                for (ServedKind kind : kinds) {
                    print(out, name(kind), Objects.requireNonNull(services.get(kind)), kind);
                }
            }
            out.println("no request failed");
            for (ServedKind kind : kinds) {
                long peak = Objects.requireNonNull(services.get(kind)).peakMib();
                out.println("peak of resident memory: " + name(kind) + " " + peak + " MiB");
            }
            out.flush();
        } finally {
            for (ServiceProcess each : services.values()) {
                each.close();
            }
        }
    }

    private String name(ServedKind kind) {
        return kind == ServedKind.MILLRACE ? "ours" : peer.title();
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
