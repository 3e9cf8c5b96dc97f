package dev.millrace.bench.kernels;

import dev.millrace.kernels.Kernels;

/** How many multiplications and additions of floats the machine does per second at most. */
public final class FloatPeak {
    private static final long ROUNDS = 50_000;
    private static final int REPEATS = 20;

    private FloatPeak() {}

    /** Measured now: what it was before may be another processor's, or another hour's. */
    public static double perSecond(int threads) {
        Kernels kernels = Kernels.shared();
        var peak = new Peak(kernels.lowering());
        long rounds = kernels.level().emitsMachineCode() ? ROUNDS : 1;
        try (var team = new SpinningThreads(threads)) {
            double best = 0;
            for (int i = 0; i < REPEATS; i++) {
                long start = System.nanoTime();
                long operations = peak.multiplyAdds(rounds, team);
                best = Math.max(best, operations * 1e9 / (System.nanoTime() - start));
            }
            return best;
        }
    }
}
