package dev.millrace.bench.server;

import dev.millrace.bench.compare.Numbers;
import dev.millrace.bench.server.ServiceLoad.Figures;
import dev.millrace.cli.ExitCode;
import dev.millrace.cli.UsageException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures the model server. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the model server on loopback, in turns with a plain service: the JDK's HTTP server, virtual"
                    + " threads and ONNX Runtime. Each service has a process of its own; the clients are here.",
            "First comes the processor time that a service takes for an Add of 8 floats, asked over one connection,"
                    + " and what its client waits.",
            "Then many connections ask for the vectors of 8 to 64 tokens. A ratio is our answers per second divided by"
                    + " the plain service's: more is better."
        })
public final class ServerCommand implements Callable<Integer> {
    private static final double MILLI = 1e3;
    private static final double HALF = 50;
    private static final double TAIL = 99;
    private static final int LEAST_TOKENS = 8;
    private static final int MOST_TOKENS = 64;
    private static final int SENTENCES = 16;
    private static final long SEED = 1;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--seconds",
            paramLabel = "S",
            description = "The time of a measurement, after half of it to get warm (default: ${DEFAULT-VALUE}).",
            defaultValue = "10")
    private double seconds;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Connections that ask for vectors (default: ${DEFAULT-VALUE}).",
            defaultValue = "64")
    private int connections;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "The turns of each service; figures are medians (default: ${DEFAULT-VALUE}).",
            defaultValue = "3")
    private int rounds;

    @Override
    public Integer call() throws Exception {
        UsageException.requireAtLeast(1, "--connections", connections);
        UsageException.requireAtLeast(1, "--rounds", rounds);
        if (!(seconds > 0)) {
            throw new UsageException("--seconds is more than 0");
        }
        PrintWriter out = spec.commandLine().getOut();
        var load = new ServiceLoad(seconds);
        try (var folder = new ServedFolder();
                var ours = new ServiceProcess(ServedKind.MILLRACE, folder.path());
                var plain = new ServiceProcess(ServedKind.PLAIN, folder.path())) {
            sums(out, load, ours, plain);
            vectors(out, load, ours, plain);
            out.println("peak of resident memory: ours %d MiB, plain service %d MiB"
                    .formatted(ours.peakMib(), plain.peakMib()));
            out.flush();
        }
        return ExitCode.OK;
    }

    private void sums(PrintWriter out, ServiceLoad load, ServiceProcess ours, ServiceProcess plain) throws Exception {
        var rest = new ArrayList<Figures>();
        var grpc = new ArrayList<Figures>();
        var peer = new ArrayList<Figures>();
        for (int round = 0; round < rounds; round++) {
            rest.add(load.rest(ours, List.of(List.of(Requests.sum(ServedKind.MILLRACE)))));
            peer.add(load.rest(plain, List.of(List.of(Requests.sum(ServedKind.PLAIN)))));
            grpc.add(load.grpc(ours, GrpcConnection.sum()));
        }
        out.println("Add of 8 floats, REST:          " + cost(rest));
        out.println("Add of 8 floats, gRPC:          " + cost(grpc));
        out.println("Add of 8 floats, plain service: " + cost(peer));
        out.flush();
    }

    private static String cost(List<Figures> figures) {
        return "%.1f µs of processor time a request, p50 %.1f µs, p99 %.1f µs"
                .formatted(
                        median(figures, Figures::processorMicros),
                        median(figures, each -> each.percentileMicros(HALF)),
                        median(figures, each -> each.percentileMicros(TAIL)));
    }

    private void vectors(PrintWriter out, ServiceLoad load, ServiceProcess ours, ServiceProcess plain)
            throws Exception {
        var mine = new ArrayList<Figures>();
        var peer = new ArrayList<Figures>();
        for (int round = 0; round < rounds; round++) {
            mine.add(load.rest(ours, sentences(ServedKind.MILLRACE)));
            peer.add(load.rest(plain, sentences(ServedKind.PLAIN)));
        }
        out.println("MiniLM, %d connections: %s; plain service %s; ratio %.2f"
                .formatted(
                        connections,
                        speed(mine),
                        speed(peer),
                        median(mine, Figures::perSecond) / median(peer, Figures::perSecond)));
        out.flush();
    }

    private static String speed(List<Figures> figures) {
        return "%.1f/s, p50 %.1f ms, p99 %.1f ms"
                .formatted(
                        median(figures, Figures::perSecond),
                        median(figures, each -> each.percentileMicros(HALF)) / MILLI,
                        median(figures, each -> each.percentileMicros(TAIL)) / MILLI);
    }

    /** Returns the requests of each connection; both services have the same. */
    private List<List<byte[]>> sentences(ServedKind kind) {
        var random = new Random(SEED);
        var all = new ArrayList<List<byte[]>>();
        for (int i = 0; i < connections; i++) {
            var own = new ArrayList<byte[]>();
            for (int each = 0; each < SENTENCES; each++) {
                own.add(Requests.sentence(kind, random.nextInt(LEAST_TOKENS, MOST_TOKENS + 1), random));
            }
            all.add(own);
        }
        return all;
    }

    private static double median(List<Figures> figures, ToDoubleFunction<Figures> figure) {
        return Numbers.median(figures.stream().map(figure::applyAsDouble).toList());
    }
}
