package dev.millrace.bench.server;

import dev.millrace.bench.serve.Latencies;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/**
 * Clients that ask a service again as soon as they have an answer.
 *
 * @param seconds the time of a measurement, after half of it to get warm
 */
record ServiceLoad(double seconds) {
    private static final double NANOS = 1e9;

    /**
     * The measurement of a service.
     *
     * @param processorMicros the service's processor time for a request
     */
    record Figures(double processorMicros, double perSecond, Latencies latencies) {
        double percentileMicros(double percent) {
            return latencies.percentile(percent) / 1e3;
        }
    }

    /** A client's next request. */
    private interface Client {
        void ask() throws Exception;
    }

    /** @param requests the requests of each connection, which it sends in turn */
    Figures rest(ServiceProcess service, List<List<byte[]>> requests) throws Exception {
        var connections = new ArrayList<HttpConnection>();
        try {
            var clients = new ArrayList<Client>();
            for (List<byte[]> own : requests) {
                var connection = new HttpConnection(service.httpPort());
                connections.add(connection);
                clients.add(new Client() {
                    private int next;

                    @Override
                    public void ask() throws IOException {
                        connection.ask(own.get(next++ % own.size()));
                    }
                });
            }
            return measure(service, clients);
        } finally {
            for (HttpConnection each : connections) {
                each.close();
            }
        }
    }

    Figures grpc(ServiceProcess service, byte[] request) throws Exception {
        try (var connection = new GrpcConnection(service.grpcPort())) {
            return measure(service, List.of(() -> connection.ask(request)));
        }
    }

    private Figures measure(ServiceProcess service, List<Client> clients) throws Exception {
        drive(clients, seconds / 2, new Latencies());
        var latencies = new Latencies();
        long processor = service.processorNanos();
        long start = System.nanoTime();
        long answers = drive(clients, seconds, latencies);
        double took = (System.nanoTime() - start) / NANOS;
        double micros = (service.processorNanos() - processor) / 1e3 / answers;
        return new Figures(micros, answers / took, latencies);
    }

    /** Lets each client ask on a thread of its own, and returns the number of answers. */
    private static long drive(List<Client> clients, double seconds, Latencies latencies) throws Exception {
        long end = System.nanoTime() + (long) (seconds * NANOS);
        var answers = new LongAdder();
        try (ExecutorService threads = Executors.newFixedThreadPool(clients.size())) {
            var running = new ArrayList<Future<?>>();
            for (Client client : clients) {
                running.add(threads.submit(() -> {
                    for (long now = System.nanoTime(); now < end; ) {
                        client.ask();
                        long later = System.nanoTime();
                        latencies.add(later - now);
                        answers.increment();
                        now = later;
                    }
                    return null;
                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
        return answers.sum();
    }
}
