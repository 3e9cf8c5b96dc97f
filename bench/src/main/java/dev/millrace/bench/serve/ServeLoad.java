package dev.millrace.bench.serve;

import dev.millrace.bench.compare.HeapMemory;
import dev.millrace.bench.compare.ProcessMemory;
import java.io.IOException;

/**
 * The main class of a process with many clients of many sessions. It prints the numbers that {@link LoadFigures} reads.
 */
final class ServeLoad {
    /** The warm-up as a part of the time, before anything is counted. */
    private static final double WARM_UP = 0.25;

    private ServeLoad() {}

    /** The memory of this process, in KiB. */
    private record Memory(long resident, long heap) {
        static Memory now() throws IOException {
            return new Memory(ProcessMemory.residentKib(), HeapMemory.residentKib());
        }
    }

    public static void main(String[] arguments) throws Exception {
        Orders orders = Orders.of(arguments);
        try (Server server = orders.open();
                var load = new Load(server, orders.sessionsOfClients())) {
            load.start();
            orders.await(WARM_UP);
            long[] before = load.answers();
            long start = System.nanoTime();
            orders.await(0.1);
            Memory tenth = Memory.now();
            orders.await(0.4);
            Memory half = Memory.now();
            orders.await(0.5);
            long[] answers = load.answers();
            long nanos = System.nanoTime() - start;
            for (int i = 0; i < answers.length; i++) {
                answers[i] -= before[i];
            }
            Memory end = Memory.now();
            load.stop();
            Orders.complain(load);
            Orders.say(
                    nanos,
                    load.failures(),
                    tenth.resident,
                    tenth.heap,
                    half.resident,
                    half.heap,
                    end.resident,
                    end.heap,
                    ProcessMemory.peakKib());
            Orders.say(answers);
        }
    }
}
