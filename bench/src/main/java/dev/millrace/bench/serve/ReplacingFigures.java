package dev.millrace.bench.serve;

import dev.millrace.bench.compare.FreshProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The figures of sessions that were replaced under load. Memory is the resident memory without requests.
 *
 * @param beforeMib the memory after each session was replaced once
 * @param afterMib the memory after all replacements
 */
record ReplacingFigures(int replacements, long failures, double beforeMib, double afterMib, double peakMib) {
    private static final double KIB_PER_MIB = 1024;

    /** The JVM options for a heap that gives back unused memory, so that only live memory counts. */
    private static final List<String> GIVING_BACK =
            List.of("-XX:+UseSerialGC", "-Xms8m", "-XX:MinHeapFreeRatio=5", "-XX:MaxHeapFreeRatio=10");

    static ReplacingFigures of(Orders orders, int replacements) throws Exception {
        var arguments = new ArrayList<Object>(List.of(replacements));
        arguments.addAll(Arrays.asList(orders.toArguments()));
        List<Long> said = new FreshProcess(ServeReplacing.class, arguments.toArray())
                .withOptions(GIVING_BACK)
                .say()
                .numbers();
        return new ReplacingFigures(
                replacements,
                said.get(0),
                said.get(1) / KIB_PER_MIB,
                said.get(2) / KIB_PER_MIB,
                said.get(3) / KIB_PER_MIB);
    }
}
