package dev.millrace.bench.server;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import dev.millrace.bench.compare.LineWorker;
import dev.millrace.bench.compare.ProcessMemory;
import dev.millrace.server.ModelServer;
import dev.millrace.server.ServerOptions;
import dev.millrace.session.EngineOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A service in a process of its own. */
final class ServiceProcess implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String PORTS = "ports";
    private static final String CPU = "cpu";
    private static final String PEAK = "peak";
    private static final String MEMORY = "memory";
    private static final String ALLOCATED = "allocated";

    private final LineWorker worker;
    private final int httpPort;
    private final int grpcPort;

    private ServiceProcess(String peer, Path repository, int threads) throws IOException, InterruptedException {
        worker = new LineWorker(Main.class, List.of(), List.of(peer, repository.toString(), Integer.toString(threads)));
        String[] ports = ask(PORTS).split(" ");
        httpPort = Integer.parseInt(ports[0]);
        grpcPort = Integer.parseInt(ports[1]);
    }

    /** Starts the model server on a folder of models, with a thread for each processor. */
    static ServiceProcess ours(Path repository) throws IOException, InterruptedException {
        return ours(repository, 0);
    }

    /** Starts the model server on a folder of models, with so many threads; 0 for one for each processor. */
    static ServiceProcess ours(Path repository, int threads) throws IOException, InterruptedException {
        return new ServiceProcess("", repository, threads);
    }

    /** Starts another service on a folder of models. */
    static ServiceProcess of(PeerService peer, Path repository) throws IOException, InterruptedException {
        return new ServiceProcess(peer.name(), repository, 0);
    }

    int httpPort() {
        return httpPort;
    }

    /** The port of gRPC; 0 if there is none. */
    int grpcPort() {
        return grpcPort;
    }

    /** Returns the processor time of the process so far, in nanoseconds. */
    long processorNanos() throws IOException, InterruptedException {
        return Long.parseLong(ask(CPU));
    }

    /** Returns the peak of resident memory, in MiB. */
    long peakMib() throws IOException, InterruptedException {
        return Long.parseLong(ask(PEAK)) >> 10;
    }

    /** Returns the resident memory at present, in MiB. */
    long residentMib() throws IOException, InterruptedException {
        return Long.parseLong(ask(MEMORY)) >> 10;
    }

    /** Returns the bytes of heap that the process has allocated so far. */
    long allocatedBytes() throws IOException, InterruptedException {
        return Long.parseLong(ask(ALLOCATED));
    }

    private String ask(String question) throws IOException, InterruptedException {
        LineWorker.Reply reply = worker.ask(question, LIMIT);
        if (reply.end() != LineWorker.End.ANSWERED) {
            throw new IOException("the service does not answer: " + reply);
        }
        return reply.text();
    }

    @Override
    public void close() {
        worker.close();
    }

    /** The service's process. */
    static final class Main {
        private Main() {}

        public static void main(String... arguments) throws Exception {
            Path repository = Path.of(arguments[1]);
            if (arguments[0].isEmpty()) {
                var options = ServerOptions.builder()
                        .repositories(repository)
                        .httpPort(0)
                        .grpcPort(0)
                        .metricsPort(0)
                        .engine(EngineOptions.builder()
                                .threads(Integer.parseInt(arguments[2]))
                                .build())
                        .build();
                try (ModelServer server = ModelServer.start(options)) {
                    answer(server.httpPort() + " " + server.grpcPort());
                }
            } else {
                try (var models = new PlainModels(repository);
                        PeerService.Running service =
                                PeerService.named(arguments[0]).start(models)) {
                    answer(service.port() + " 0");
                }
            }
        }

        private static void answer(String ports) throws Exception {
            var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            LineWorker.serve((line, _) -> switch (line) {
                case PORTS -> ports;
                case CPU -> Long.toString(system.getProcessCpuTime());
                case PEAK -> Long.toString(ProcessMemory.peakKib());
                case MEMORY -> Long.toString(ProcessMemory.residentKib());
                case ALLOCATED -> Long.toString(threads.getTotalThreadAllocatedBytes());
                default -> throw new IllegalArgumentException(line);
            });
        }
    }
}
