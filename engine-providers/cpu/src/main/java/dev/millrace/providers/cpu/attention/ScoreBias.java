package dev.millrace.providers.cpu.attention;

import dev.millrace.scheduler.kernel.LaunchContext;

/** What is added to the scores of queries; minus infinity for keys that a query does not see. */
interface ScoreBias {
    /** Whether it is zero everywhere. */
    boolean isNone();

    /** Reads what is added to the score of each key. */
    void read(LaunchContext launch, int b, int head, int query, float[] to);
}
