package dev.millrace.bench.suite;

import dev.millrace.bench.compare.Numbers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What came of one case with some threads.
 *
 * @param times null where the case was not measured
 * @param difference of our answers from the reference, relative to the largest output; null where nothing was compared
 * @param peerDifference of the peer's answers, where the reference is neither's, or of its answers from its own without
 *     optimisations, where ours differ much
 * @param note why the case was not measured, or what is wrong with the answers; empty where there is nothing to say
 */
record SuiteRow(
        Group group,
        String name,
        int threads,
        Outcome outcome,
        @Nullable Times times,
        @Nullable Double difference,
        @Nullable Double peerDifference,
        String note) {

    /** How a case ended. */
    enum Outcome {
        MEASURED,
        DIFFERS,
        SKIPPED,
        FAILED;

        boolean isGood() {
            return this == MEASURED || this == SKIPPED;
        }
    }

    /**
     * Medians.
     *
     * @param peerMicros null where there was no peer
     * @param ratio the peer's time divided by ours, of neighbouring blocks
     */
    record Times(
            double ourMicros,
            @Nullable Double peerMicros,
            @Nullable Double ratio) {}

    static SuiteRow unmeasured(SuiteCase test, int threads, Outcome outcome, String reason) {
        String note = outcome.name().toLowerCase(Locale.ROOT) + ": " + reason;
        return new SuiteRow(test.group(), test.name(), threads, outcome, null, null, null, note);
    }

    @Nullable
    Double ratio() {
        return times == null ? null : times.ratio();
    }

    @Nullable
    Double ourMicros() {
        return times == null ? null : (Double) times.ourMicros();
    }

    @Nullable
    Double peerMicros() {
        return times == null ? null : times.peerMicros();
    }

    static String heading() {
        return "%-6s %-40s %7s %12s %12s %7s %9s %9s"
                .formatted("group", "model", "threads", "ours us", "peer us", "ratio", "diff", "peer diff");
    }

    String toText() {
        return "%-6s %-40s %7d %12s %12s %7s %9s %9s %s"
                .formatted(
                        group.label(),
                        name,
                        threads,
                        Numbers.format("%.1f", ourMicros()),
                        Numbers.format("%.1f", peerMicros()),
                        Numbers.format("%.2f", ratio()),
                        Numbers.format("%.1e", difference),
                        Numbers.format("%.1e", peerDifference),
                        note)
                .stripTrailing();
    }
}
