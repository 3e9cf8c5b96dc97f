package dev.millrace.bench.serve;

import dev.millrace.bench.compare.FreshProcess;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What came of sessions that were replaced under load. Memory is what is resident while nobody asks.
 *
 * @param beforeMib after each session was replaced once
 * @param afterMib after all replacements
 */
record ReplacingFigures(int replacements, long failures, double beforeMib, double afterMib, double peakMib) {
    private static final double KIB_PER_MIB = 1024;

    /** A heap that gives back what it does not need, so that only what is held is seen. */
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
