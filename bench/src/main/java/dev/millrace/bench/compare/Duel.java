package dev.millrace.bench.compare;

import java.util.ArrayList;
import java.util.List;
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
    public record Pace(long warmUpNanos, long blockNanos, long budgetNanos, int leastBlocks) {}

    private static final int MOST_RUNS = 1_000_000;

    private final Side ours;
    private final @Nullable Side peer;
    private final LongSupplier clock;
    private final List<Double> ourTimes = new ArrayList<>();
    private final List<Double> peerTimes = new ArrayList<>();
    private final List<Double> ratios = new ArrayList<>();

    public Duel(Side ours, @Nullable Side peer) {
        this(ours, peer, System::nanoTime);
    }

    /** @param clock counts nanoseconds */
    public Duel(Side ours, @Nullable Side peer, LongSupplier clock) {
        this.ours = ours;
        this.peer = peer;
        this.clock = clock;
    }

    public void run(Pace pace) throws Exception {
        int ourCount = warmUp(ours, pace);
        int peerCount = peer == null ? 0 : warmUp(peer, pace);
        long end = clock.getAsLong() + pace.budgetNanos();
        do {
            double mine = block(ours, ourCount);
            ourTimes.add(mine);
            if (peer != null) {
                double theirs = block(peer, peerCount);
                peerTimes.add(theirs);
                ratios.add(theirs / mine);
            }
        } while (clock.getAsLong() < end || ourTimes.size() < pace.leastBlocks());
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
        return median(ourTimes) / 1e3;
    }

    public @Nullable Double peerMicros() {
        return peer == null ? null : (Double) (median(peerTimes) / 1e3);
    }

    public @Nullable Double ratio() {
        return peer == null ? null : (Double) median(ratios);
    }

    public static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int n = sorted.size();
        return n % 2 == 1 ? sorted.get(n / 2) : (sorted.get(n / 2 - 1) + sorted.get(n / 2)) / 2;
    }
}
