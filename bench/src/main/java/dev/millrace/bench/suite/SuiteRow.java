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

    private static final double PERCENT = 100;

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
     * @param ofPeak the arithmetic that was done on floats, as a part of what the processor could have done in our time;
     *     null where the model computes with other numbers
     */
    record Times(
            double ourMicros,
            @Nullable Double peerMicros,
            @Nullable Double ratio,
            @Nullable Double ofPeak) {}

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

    @Nullable
    Double percentOfPeak() {
        return times == null || times.ofPeak() == null ? null : (Double) (PERCENT * times.ofPeak());
    }

    static String heading() {
        return "%-6s %-40s %7s %12s %12s %7s %8s %9s %9s"
                .formatted("group", "model", "threads", "ours us", "peer us", "ratio", "of peak", "diff", "peer diff");
    }

    String toText() {
        return "%-6s %-40s %7d %12s %12s %7s %8s %9s %9s %s"
                .formatted(
                        group.label(),
                        name,
                        threads,
                        Numbers.format("%.1f", ourMicros()),
                        Numbers.format("%.1f", peerMicros()),
                        Numbers.format("%.2f", ratio()),
                        Numbers.format("%.0f %%", percentOfPeak()),
                        Numbers.format("%.1e", difference),
                        Numbers.format("%.1e", peerDifference),
                        note)
                .stripTrailing();
    }
}
