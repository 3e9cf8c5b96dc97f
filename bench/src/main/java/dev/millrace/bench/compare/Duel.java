package dev.millrace.bench.compare;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of runs of two sides that alternate, so that a machine that slows down slows both: the ratio is the median over
 * neighbouring blocks.
 */
public final class Duel {
    /** One run of a side. */
    @FunctionalInterface
    public interface Side {
        void run() throws Exception;
    }

    /**
     * How long to measure.
     *
     * @param warmUpNanos how long each side runs before it is measured
     * @param blockNanos how long a block is, about
     * @param budgetNanos how long both sides are measured together
     * @param leastBlocks how many blocks each side has at least
     */
    public record Pace(long warmUpNanos, long blockNanos, long budgetNanos, int leastBlocks) {
        private static final double NANOS = 1e9;

        /** So many seconds, after a quarter of that to get warm. */
        public static Pace ofSeconds(double seconds, long blockNanos, int leastBlocks) {
            long budget = (long) (seconds * NANOS);
            return new Pace(budget / 4, blockNanos, budget, leastBlocks);
        }
    }

    private static final int MOST_RUNS = 1_000_000;

    private final Side ours;
    private final @Nullable Side reference;
    private final LongSupplier clock;
    private final Pairs times = new Pairs();

    public Duel(Side ours, @Nullable Side reference) {
        this(ours, reference, System::nanoTime);
    }

    /** @param clock counts nanoseconds */
    public Duel(Side ours, @Nullable Side reference, LongSupplier clock) {
        this.ours = ours;
        this.reference = reference;
        this.clock = clock;
    }

    /** A duel that has been run. */
    public static Duel of(Side ours, @Nullable Side reference, Pace pace) throws Exception {
        var duel = new Duel(ours, reference);
        duel.run(pace);
        return duel;
    }

    public void run(Pace pace) throws Exception {
        run(pace, () -> {});
    }

    /** @param afterEach is told of each block of both */
    public void run(Pace pace, Runnable afterEach) throws Exception {
        int ourCount = warmUp(ours, pace);
        int referenceCount = reference == null ? 0 : warmUp(reference, pace);
        long end = clock.getAsLong() + pace.budgetNanos();
        do {
            double mine = block(ours, ourCount);
            times.add(mine, reference == null ? Double.NaN : block(reference, referenceCount));
            afterEach.run();
        } while (clock.getAsLong() < end || times.count() < pace.leastBlocks());
    }

    /** Runs until it is warm, and says how many runs make a block. */
    private int warmUp(Side side, Pace pace) throws Exception {
        long end = clock.getAsLong() + pace.warmUpNanos();
        long last;
        do {
            last = (long) block(side, 1);
        } while (clock.getAsLong() < end);
        return (int) Math.clamp(pace.blockNanos() / Math.max(1, last), 1, MOST_RUNS);
    }

    /** Nanoseconds of a run. */
    private double block(Side side, int count) throws Exception {
        long start = clock.getAsLong();
        for (int i = 0; i < count; i++) {
            side.run();
        }
        return (double) (clock.getAsLong() - start) / count;
    }

    public double ourMicros() {
        return times.one() / 1e3;
    }

    public @Nullable Double referenceMicros() {
        return reference == null ? null : (Double) (times.other() / 1e3);
    }

    public @Nullable Double ratio() {
        return reference == null ? null : (Double) times.ratio();
    }
}
