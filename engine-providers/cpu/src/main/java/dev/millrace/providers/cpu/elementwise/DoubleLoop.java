package dev.millrace.providers.cpu.elementwise;

import java.util.function.DoubleUnaryOperator;

/** A function of each double. */
final class DoubleLoop implements Unary.Doubles, OwnLoops.Loop {
    private final DoubleUnaryOperator function;

    DoubleLoop(DoubleUnaryOperator function) {
        this.function = function;
    }

    @Override
    public Object function() {
        return function;
    }

    @Override
    public void apply(double[] from, double[] to, int count) {
        for (int i = 0; i < count; i++) {
            to[i] = function.applyAsDouble(from[i]);
        }
    }
}
