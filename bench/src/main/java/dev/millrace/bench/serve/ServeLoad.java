package dev.millrace.bench.serve;

import dev.millrace.bench.compare.ProcessMemory;

/** A process of its own: many clients of many sessions. Prints what {@link LoadFigures} reads. */
final class ServeLoad {
    /** The part of the time for which everything gets warm, before anything is counted. */
    private static final double WARM_UP = 0.25;

    private ServeLoad() {}

    public static void main(String[] arguments) throws Exception {
        Orders orders = Orders.of(arguments);
        try (Server server = orders.open();
                var load = new Load(server, orders.sessionsOfClients())) {
            load.start();
            orders.await(WARM_UP);
            long[] before = load.answers();
            long start = System.nanoTime();
            orders.await(0.1);
            long residentAtTenth = ProcessMemory.residentKib();
            orders.await(0.4);
            long residentAtHalf = ProcessMemory.residentKib();
            orders.await(0.5);
            long[] answers = load.answers();
            long nanos = System.nanoTime() - start;
            for (int i = 0; i < answers.length; i++) {
                answers[i] -= before[i];
            }
            long residentAtEnd = ProcessMemory.residentKib();
            load.stop();
            Orders.complain(load);
            Orders.say(nanos, load.failures(), residentAtTenth, residentAtHalf, residentAtEnd, ProcessMemory.peakKib());
            Orders.say(answers);
        }
    }
}
