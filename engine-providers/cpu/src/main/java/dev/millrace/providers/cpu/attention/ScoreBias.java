package dev.millrace.providers.cpu.attention;

import dev.millrace.scheduler.kernel.LaunchContext;

/** The bias added to the scores of queries: minus infinity for keys that a query does not see. */
interface ScoreBias {
    /** Whether the bias is zero everywhere. */
    boolean isNone();

    /** Reads the bias of each key for a query. */
    void read(LaunchContext launch, int b, int head, int query, float[] to);
}
