package dev.millrace.bench.kernels;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of runs of two sides that alternate, so that a machine that slows down slows both: the ratio is the median over
 * neighbouring blocks.
 */
final class Duel {
    private static final long BLOCK_NANOS = 2_000_000;
    private static final long WARM_UP_NANOS = 150_000_000;
    private static final int LEAST_BLOCKS = 5;

    private final Runnable ours;
    private final @Nullable Runnable peer;
    private final List<Double> ourTimes = new ArrayList<>();
    private final List<Double> peerTimes = new ArrayList<>();
    private final List<Double> ratios = new ArrayList<>();

    Duel(Runnable ours, @Nullable Runnable peer) {
        this.ours = ours;
        this.peer = peer;
    }

    /** @param budget how long to measure, warming up excluded */
    void run(long budget) {
        int ourCount = warmUp(ours);
        int peerCount = peer == null ? 0 : warmUp(peer);
        long end = System.nanoTime() + budget;
        do {
            double mine = block(ours, ourCount);
            ourTimes.add(mine);
            if (peer != null) {
                double theirs = block(peer, peerCount);
                peerTimes.add(theirs);
                ratios.add(theirs / mine);
            }
        } while (System.nanoTime() < end || ourTimes.size() < LEAST_BLOCKS);
    }

    /** Runs until it is warm, and says how many runs make a block. */
    private static int warmUp(Runnable side) {
        long start = System.nanoTime();
        long end = start + WARM_UP_NANOS;
        long last;
        do {
            last = (long) block(side, 1);
        } while (System.nanoTime() < end);
        return (int) Math.clamp(BLOCK_NANOS / Math.max(1, last), 1, 1_000_000);
    }

    /** Nanoseconds of a run. */
    private static double block(Runnable side, int count) {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            side.run();
        }
        return (double) (System.nanoTime() - start) / count;
    }

    double ourMicros() {
        return median(ourTimes) / 1e3;
    }

    @Nullable
    Double peerMicros() {
        return peer == null ? null : (Double) (median(peerTimes) / 1e3);
    }

    @Nullable
    Double ratio() {
        return peer == null ? null : (Double) median(ratios);
    }

    static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int n = sorted.size();
        return n % 2 == 1 ? sorted.get(n / 2) : (sorted.get(n / 2 - 1) + sorted.get(n / 2)) / 2;
    }
}
