package dev.millrace.providers.cpu.elementwise;

import java.util.function.LongBinaryOperator;

/** A function of each pair of longs. */
final class LongPairLoop implements Binary.Longs, OwnLoops.Loop {
    private final LongBinaryOperator function;

    LongPairLoop(LongBinaryOperator function) {
        this.function = function;
    }

    @Override
    public Object function() {
        return function;
    }

    @Override
    public void apply(long[] x, long[] y, long[] z, int count) {
        for (int i = 0; i < count; i++) {
            z[i] = function.applyAsLong(x[i], y[i]);
        }
    }
}
