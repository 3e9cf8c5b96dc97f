package dev.millrace.bench.server;

import dev.millrace.bench.compare.Numbers;
import dev.millrace.bench.server.ServiceLoad.Figures;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/**
 * The cost of a small request, and vectors for many clients, beside another service.
 *
 * @param connections the clients that ask for vectors
 * @param rounds the turns of each service
 */
record UsualFigures(ServiceLoad load, PeerService peer, int connections, int rounds) {
    void print(PrintWriter out) throws Exception {
        try (var folder = new ServedFolder().sum().sentences();
                var ours = ServiceProcess.ours(folder.path());
                var theirs = ServiceProcess.of(peer, folder.path())) {
            sums(out, ours, theirs);
            vectors(out, ours, theirs);
            out.println("peak of resident memory: ours %d MiB, %s %d MiB"
                    .formatted(ours.peakMib(), peer.title(), theirs.peakMib()));
            out.flush();
        }
    }

    private void sums(PrintWriter out, ServiceProcess ours, ServiceProcess theirs) throws Exception {
        var rest = new ArrayList<Figures>();
        var grpc = new ArrayList<Figures>();
        var others = new ArrayList<Figures>();
        for (int round = 0; round < rounds; round++) {
            rest.add(sum(ours, ServedKind.MILLRACE));
            others.add(sum(theirs, ServedKind.PEER));
            grpc.add(load.measure(ours, List.of(ServiceClient.grpc(ours, GrpcConnection.sum()))));
        }
        out.println("Add of 8 floats, REST: " + cost(rest));
        out.println("Add of 8 floats, gRPC: " + cost(grpc));
        out.println("Add of 8 floats, " + peer.title() + ": " + cost(others));
        out.flush();
    }

    private Figures sum(ServiceProcess service, ServedKind kind) throws Exception {
        return load.measure(service, List.of(ServiceClient.rest(service, List.of(Requests.sum(kind)))));
    }

    private static String cost(List<Figures> figures) {
        return "%.1f µs of processor time a request, p50 %.1f µs, p99 %.1f µs"
                .formatted(
                        median(figures, Figures::processorMicros),
                        median(figures, Figures::medianMicros),
                        median(figures, Figures::tailMicros));
    }

    private void vectors(PrintWriter out, ServiceProcess ours, ServiceProcess theirs) throws Exception {
        var mine = new ArrayList<Figures>();
        var others = new ArrayList<Figures>();
        for (int round = 0; round < rounds; round++) {
            mine.add(load.measure(ours, Clients.ofSentences(ours, ServedKind.MILLRACE, connections)));
            others.add(load.measure(theirs, Clients.ofSentences(theirs, ServedKind.PEER, connections)));
        }
        out.println("MiniLM, %d connections: %s; %s %s; ratio %.2f"
                .formatted(
                        connections,
                        speed(mine),
                        peer.title(),
                        speed(others),
                        median(mine, Figures::perSecond) / median(others, Figures::perSecond)));
        out.flush();
    }

    private static String speed(List<Figures> figures) {
        return "%.1f/s, p50 %.1f ms, p99 %.1f ms"
                .formatted(
                        median(figures, Figures::perSecond),
                        median(figures, Figures::medianMillis),
                        median(figures, Figures::tailMillis));
    }

    private static double median(List<Figures> figures, ToDoubleFunction<Figures> figure) {
        return Numbers.median(figures.stream().map(figure::applyAsDouble).toList());
    }
}
