package dev.millrace.bench.serve;

import dev.millrace.bench.compare.FreshProcess;
import java.util.List;

/**
 * What a heavy model does to a light one beside it.
 *
 * @param aloneMicros the 95th percentile of the light one's answers while nobody else asks
 * @param besideMicros the same while the heavy one has all its clients
 * @param heavyPerSecond answers of the heavy one meanwhile
 */
record LightFigures(long failures, double aloneMicros, double besideMicros, double heavyPerSecond) {
    private static final double MICRO = 1e3;
    private static final double NANOS = 1e9;

    /** @param orders of a light model and a heavy one */
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
