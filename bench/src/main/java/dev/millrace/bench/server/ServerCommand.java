package dev.millrace.bench.server;

import dev.millrace.cli.ExitCode;
import dev.millrace.cli.UsageException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures the model server. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = {
            "Measures the model server on loopback, in turns with a service over ONNX Runtime as an application has it."
                    + " Each service has a process of its own; the clients are here.",
            "First comes the processor time that a service takes for an Add of 8 floats, asked over one connection,"
                    + " and what its client waits.",
            "Then many connections ask for the vectors of 8 to 64 tokens. A ratio is our answers per second divided by"
                    + " the other service's: more is better."
        })
public final class ServerCommand implements Callable<Integer> {
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

    @ArgGroup
    private Other other = new Other();

    /** Measurements in place of the usual ones. */
    private static final class Other {
        @Option(
                names = "--mixed",
                description = "Instead, let half of the connections ask for vectors and the other half send chunks of"
                        + " speech, each in sequences of its own, at the same time. A failed request ends the command.")
        private boolean mixed;

        @Option(
                names = "--tensors",
                description =
                        "Instead, measure a request's processor time and heap for tensors of 32 bytes, 588 KiB and"
                                + " 64 MiB in both directions, without another service.")
        private boolean tensors;

        @Option(
                names = "--sizing",
                description = "Instead, measure the model server by threads, clients, the delay of batches and the"
                        + " number of models, and print tables.")
        private boolean sizing;
    }

    @Option(
            names = "--peer",
            paramLabel = "NAME",
            description =
                    "The other service: jdk, the JDK's HTTP server with virtual threads, or spring, a controller of"
                            + " Spring Boot on Tomcat (default: ${DEFAULT-VALUE}).",
            defaultValue = "jdk")
    private String peer = "";

    @Option(names = "--no-peer", description = "With --mixed, leave the other service out.")
    private boolean noPeer;

    @Option(
            names = "--svg",
            paramLabel = "FILE",
            description = "With --sizing, also draw answers per second by clients and threads.")
    private @Nullable Path svg;

    @Override
    public Integer call() throws Exception {
        UsageException.requireAtLeast(1, "--rounds", rounds);
        UsageException.requireAtLeast(2, "--connections", connections);
        if (!(seconds > 0)) {
            throw new UsageException("--seconds is more than 0");
        }
        if (svg != null && !other.sizing) {
            throw new UsageException("--svg goes with --sizing");
        }
        if (noPeer && !other.mixed) {
            throw new UsageException("--no-peer goes with --mixed");
        }
        var out = spec.commandLine().getOut();
        var load = new ServiceLoad(seconds);
        if (other.mixed) {
            new MixedFigures(load, PeerService.named(peer), connections, rounds).print(out, noPeer);
        } else if (other.tensors) {
            new TensorFigures(load).print(out);
        } else if (other.sizing) {
            new SizingFigures(load, svg).print(out);
        } else {
            new UsualFigures(load, PeerService.named(peer), connections, rounds).print(out);
        }
        return ExitCode.OK;
    }
}
