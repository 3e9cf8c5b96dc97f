package dev.millrace.bench.suite;

import dev.millrace.bench.compare.Numbers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The result of one case with a number of threads.
 *
 * @param times the times, or null if the case was not measured
 * @param difference the difference of this engine's answers from the expected ones, relative to the largest
 *     output; null if nothing was compared
 * @param referenceDifference the difference of ONNX Runtime's answers, if the expected ones are neither's, or of its answers
 *     from its own without optimisations, if this engine's differ much
 * @param note the reason why the case was not measured, or the fault of the answers; empty if there is nothing to say
 */
record SuiteRow(
        Group group,
        String name,
        int threads,
        Outcome outcome,
        @Nullable Times times,
        @Nullable Double difference,
        @Nullable Double referenceDifference,
        String note) {

    private static final double PERCENT = 100;

    /** The outcome of a case. */
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
     * The median times.
     *
     * @param referenceMicros the reference's time, or null without a reference
     * @param ratio the reference's time divided by this engine's, of neighbouring blocks
     * @param ofPeak the float arithmetic that was done, as a share of the processor's peak in this engine's time; null
     *     if the model computes with other numbers
     */
    record Times(
            double ourMicros,
            @Nullable Double referenceMicros,
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
    Double referenceMicros() {
        return times == null ? null : times.referenceMicros();
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
                        Numbers.format("%.1f", referenceMicros()),
                        Numbers.format("%.2f", ratio()),
                        Numbers.format("%.0f %%", percentOfPeak()),
                        Numbers.format("%.1e", difference),
                        Numbers.format("%.1e", referenceDifference),
                        note)
                .stripTrailing();
    }
}
