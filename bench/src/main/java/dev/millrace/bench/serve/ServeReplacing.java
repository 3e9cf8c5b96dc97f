package dev.millrace.bench.serve;

import dev.millrace.bench.compare.ProcessMemory;
import java.util.Arrays;

/**
 * A process of its own: many clients of many sessions, which are replaced meanwhile, one after the other. Prints what
 * {@link ReplacingFigures} reads.
 */
final class ServeReplacing {
    private static final double WARM_UP = 0.25;
    private static final int COLLECTIONS = 3;

    private ServeReplacing() {}

    /** @param arguments how many replacements, then those of {@link Orders} */
    public static void main(String[] arguments) throws Exception {
        int replacements = Integer.parseInt(arguments[0]);
        Orders orders = Orders.of(Arrays.copyOfRange(arguments, 1, arguments.length));
        try (Server server = orders.open()) {
            // all sessions once, so that what the first replacement costs only once is there
            long failures = round(server, orders, orders.sessions());
            long before = resident();
            failures += round(server, orders, replacements);
            Orders.say(failures, before, resident(), ProcessMemory.peakKib());
        }
    }

    /** Replaces sessions under load, spread over the time; how many requests failed. */
    private static long round(Server server, Orders orders, int replacements) throws Exception {
        try (var load = new Load(server, orders.sessionsOfClients())) {
            load.start();
            orders.await(WARM_UP);
            for (int i = 0; i < replacements; i++) {
                server.replace(i % orders.sessions());
                orders.await(1.0 / replacements);
            }
            load.stop();
            Orders.complain(load);
            return load.failures();
        }
    }

    private static long resident() throws Exception {
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            // what a collection has found is unmapped by another thread, and nobody tells when
            Thread.sleep(100);
        }
        return ProcessMemory.residentKib();
    }
}
