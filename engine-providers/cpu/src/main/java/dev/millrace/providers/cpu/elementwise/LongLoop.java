package dev.millrace.providers.cpu.elementwise;

import java.util.function.LongUnaryOperator;

/** A function of each long. */
final class LongLoop implements Unary.Longs, OwnLoops.Loop {
    private final LongUnaryOperator function;

    LongLoop(LongUnaryOperator function) {
        this.function = function;
    }

    @Override
    public Object function() {
        return function;
    }

    @Override
    public void apply(long[] from, long[] to, int count) {
        for (int i = 0; i < count; i++) {
            to[i] = function.applyAsLong(from[i]);
        }
    }
}
