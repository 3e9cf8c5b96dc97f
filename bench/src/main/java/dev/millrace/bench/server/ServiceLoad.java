package dev.millrace.bench.server;

import dev.millrace.bench.serve.Latencies;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/**
 * Clients that ask a service again as soon as they have an answer. A request that fails ends the measurement.
 *
 * @param seconds the time of a measurement, after half of it to get warm
 */
record ServiceLoad(double seconds) {
    private static final double NANOS = 1e9;
    private static final double MICRO = 1e3;
    private static final double MILLI = 1e6;
    private static final double HALF = 50;
    private static final double TAIL = 99;

    /**
     * The measurement of one kind of clients.
     *
     * @param processorMicros the service's processor time for a request of any kind
     * @param allocated the bytes of heap that the service allocates for a request of any kind
     */
    record Figures(double processorMicros, double allocated, double perSecond, Latencies latencies) {
        double medianMicros() {
            return latencies.percentile(HALF) / MICRO;
        }

        double tailMicros() {
            return latencies.percentile(TAIL) / MICRO;
        }

        double medianMillis() {
            return latencies.percentile(HALF) / MILLI;
        }

        double tailMillis() {
            return latencies.percentile(TAIL) / MILLI;
        }
    }

    /** A kind of clients while it is measured. */
    private record Kind(List<ServiceClient> clients, LongAdder answers, Latencies latencies) {
        Kind(List<ServiceClient> clients) {
            this(clients, new LongAdder(), new Latencies());
        }

        /** Lets a client ask until a time. */
        Callable<Void> asking(ServiceClient client, long end) {
            return () -> {
                for (long now = System.nanoTime(); now < end; ) {
                    client.ask();
                    long later = System.nanoTime();
                    latencies.add(later - now);
                    answers.increment();
                    now = later;
                }
                return null;
            };
        }
    }

    /** Measures a service by clients of one kind, and closes them. */
    Figures measure(ServiceProcess service, List<ServiceClient> clients) throws Exception {
        return measureKinds(service, List.of(clients)).getFirst();
    }

    /** Measures a service by several kinds of clients at the same time, and closes them. */
    List<Figures> measureKinds(ServiceProcess service, List<List<ServiceClient>> clients) throws Exception {
        try {
            drive(clients.stream().map(Kind::new).toList(), seconds / 2);
            var kinds = clients.stream().map(Kind::new).toList();
            long processor = service.processorNanos();
            long allocated = service.allocatedBytes();
            long start = System.nanoTime();
            drive(kinds, seconds);
            double took = (System.nanoTime() - start) / NANOS;
            long answers = kinds.stream().mapToLong(kind -> kind.answers.sum()).sum();
            double micros = (service.processorNanos() - processor) / MICRO / answers;
            double bytes = (service.allocatedBytes() - allocated) / (double) answers;
            return kinds.stream()
                    .map(kind -> new Figures(micros, bytes, kind.answers.sum() / took, kind.latencies))
                    .toList();
        } finally {
            for (List<ServiceClient> kind : clients) {
                for (ServiceClient each : kind) {
                    each.close();
                }
            }
        }
    }

    /** Lets each client ask on a thread of its own. */
    private static void drive(List<Kind> kinds, double seconds) throws Exception {
        long end = System.nanoTime() + (long) (seconds * NANOS);
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            var running = new ArrayList<Future<?>>();
            for (Kind kind : kinds) {
                kind.clients.forEach(client -> running.add(threads.submit(kind.asking(client, end))));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }
}
