package dev.millrace.bench.serve;

import dev.millrace.bench.compare.FreshProcess;
import java.util.List;

/**
 * The effect of a heavy model on a light one beside it.
 *
 * @param aloneMicros the 95th percentile of the light model's latencies without other requests
 * @param besideMicros the 95th percentile while the heavy model serves all its clients
 * @param heavyPerSecond the answers per second of the heavy model meanwhile
 */
record LightFigures(long failures, double aloneMicros, double besideMicros, double heavyPerSecond) {
    private static final double MICRO = 1e3;
    private static final double NANOS = 1e9;

    /** @param orders the orders with a light model and a heavy one */
    static LightFigures of(Orders orders) throws Exception {
        List<Long> said =
                new FreshProcess(ServeLight.class, orders.toArguments()).say().numbers();
        return new LightFigures(
                said.get(0), said.get(1) / MICRO, said.get(2) / MICRO, said.get(3) * NANOS / said.get(4));
    }

    double ratio() {
        return besideMicros / aloneMicros;
    }
}
