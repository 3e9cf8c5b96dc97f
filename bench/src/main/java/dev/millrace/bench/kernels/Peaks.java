package dev.millrace.bench.kernels;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** The peak of the machine for each kind of work, per second. */
final class Peaks {
    private static final int REPEATS = 10;
    private static final long ROUNDS = 200_000;
    /** The bytes that are read, far more than caches hold. */
    private static final long MEMORY = 192L << 20;

    private final Map<LayerWork.Unit, Double> perSecond = new EnumMap<>(LayerWork.Unit.class);

    /** Measures the peaks on all threads; interpreted kernels have none worth measuring. */
    Peaks(Kernels kernels, Parallel parallel) {
        Peak peak = new Peak(kernels.lowering());
        long rounds = kernels.level().emitsMachineCode() ? ROUNDS : 1;
        perSecond.put(LayerWork.Unit.FLOPS, best(() -> peak.multiplyAdds(rounds, parallel)));
        perSecond.put(LayerWork.Unit.INT8_OPS, best(() -> peak.byteProducts(rounds, parallel)));
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(kernels.level().emitsMachineCode() ? MEMORY : 1 << 14, 64);
            memory.fill((byte) 1);
            perSecond.put(LayerWork.Unit.BYTES, best(() -> peak.read(memory, parallel)));
        }
    }

    private static double best(LongSupplier work) {
        double best = 0;
        for (int i = 0; i < REPEATS; i++) {
            long start = System.nanoTime();
            long amount = work.getAsLong();
            best = Math.max(best, amount * 1e9 / (System.nanoTime() - start));
        }
        return best;
    }

    double perSecond(LayerWork.Unit unit) {
        return perSecond.getOrDefault(unit, 0.0);
    }

    /** Returns the text for the head of a table. */
    @Override
    public String toString() {
        return "%.1f GFLOP/s fp32, %.1f Gop/s int8, %.1f GB/s"
                .formatted(
                        perSecond(LayerWork.Unit.FLOPS) / 1e9,
                        perSecond(LayerWork.Unit.INT8_OPS) / 1e9,
                        perSecond(LayerWork.Unit.BYTES) / 1e9);
    }
}
