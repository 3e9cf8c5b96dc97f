package dev.millrace.bench.serve;

import java.util.Arrays;

/**
 * A process of its own: one client of a light model, the first one, alone and then beside clients of a heavy one, the second.
 * Prints what {@link LightFigures} reads.
 */
final class ServeLight {
    private static final double HALF = 0.5;
    private static final double WARM_UP = 0.25;
    private static final double PERCENT = 95;
    private static final int LIGHT = 0;
    private static final int HEAVY = 1;

    private ServeLight() {}

    public static void main(String[] arguments) throws Exception {
        Orders orders = Orders.of(arguments);
        try (Server server = orders.open()) {
            int[] heavies = new int[orders.clients()];
            Arrays.fill(heavies, HEAVY);
            listen(server, orders, WARM_UP);
            Load alone = listen(server, orders, HALF);
            try (var heavy = new Load(server, heavies)) {
                heavy.start();
                listen(server, orders, WARM_UP);
                long start = System.nanoTime();
                long before = Arrays.stream(heavy.answers()).sum();
                Load beside = listen(server, orders, HALF);
                long heavyAnswers = Arrays.stream(heavy.answers()).sum() - before;
                long nanos = System.nanoTime() - start;
                heavy.stop();
                Orders.complain(heavy);
                Orders.say(
                        alone.failures() + beside.failures() + heavy.failures(),
                        alone.latencies().percentile(PERCENT),
                        beside.latencies().percentile(PERCENT),
                        heavyAnswers,
                        nanos);
            }
        }
    }

    private static Load listen(Server server, Orders orders, double part) throws InterruptedException {
        try (var load = new Load(server, LIGHT)) {
            load.start();
            orders.await(part);
            load.stop();
            Orders.complain(load);
            return load;
        }
    }
}
