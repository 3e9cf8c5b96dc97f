package dev.millrace.bench.kernels;

import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Duel;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.util.Locale;

/** Measures cases on some threads; the answers of both sides are compared before anything is timed. */
final class KernelBench {
    private static final Duel.Pace PACE = new Duel.Pace(150_000_000, 2_000_000, 1_000_000_000, 5);

    private final Kernels kernels;
    private final Parallel parallel;
    private final Peaks peaks;
    private final boolean withReference;

    KernelBench(Kernels kernels, Parallel parallel, Peaks peaks, boolean withReference) {
        this.kernels = kernels;
        this.parallel = parallel;
        this.peaks = peaks;
        this.withReference = withReference;
    }

    /** @throws DifferentAnswers if the two sides do not agree */
    KernelRow run(KernelCase test) throws Exception {
        try (Arena arena = Arena.ofShared()) {
            KernelCase.Sides sides = test.opener().open(kernels, arena, parallel);
            if (!withReference) {
                return measure(test, new Duel(sides.ours()::run, null));
            }
            try (var reference = new OnnxRuntimeOperator(sides.reference().get(), sides.answers(), parallel.width())) {
                sides.ours().run();
                reference.run();
                double difference = Answers.maxAbsDiff(sides.answers(), reference.answers());
                if (!(difference <= test.tolerance())) {
                    throw new DifferentAnswers(test, difference);
                }
                return measure(test, new Duel(sides.ours()::run, reference::run));
            }
        }
    }

    private KernelRow measure(KernelCase test, Duel duel) throws Exception {
        duel.run(PACE);
        double ours = duel.ourMicros() / test.layers();
        Double theirs = duel.referenceMicros();
        double rate = test.work().amount() / ours * 1e6;
        return new KernelRow(
                test.kernel(),
                test.shape(),
                parallel.width(),
                kernels.level().name().toLowerCase(Locale.ROOT),
                ours,
                theirs == null ? null : (Double) (theirs / test.layers()),
                duel.ratio(),
                rate / peaks.perSecond(test.work().unit()));
    }

    /** Two sides that do not agree. */
    static final class DifferentAnswers extends Exception {
        private static final long serialVersionUID = 1;

        DifferentAnswers(KernelCase test, double difference) {
            super("the answers for %s %s differ by %.2e, more than %.2e"
                    .formatted(test.kernel(), test.shape(), difference, test.tolerance()));
        }
    }
}
