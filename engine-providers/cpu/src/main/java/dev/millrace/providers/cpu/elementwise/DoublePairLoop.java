package dev.millrace.providers.cpu.elementwise;

import java.util.function.DoubleBinaryOperator;

/** A function of each pair of doubles. */
final class DoublePairLoop implements Binary.Doubles, OwnLoops.Loop {
    private final DoubleBinaryOperator function;

    DoublePairLoop(DoubleBinaryOperator function) {
        this.function = function;
    }

    @Override
    public Object function() {
        return function;
    }

    @Override
    public void apply(double[] x, double[] y, double[] z, int count) {
        for (int i = 0; i < count; i++) {
            z[i] = function.applyAsDouble(x[i], y[i]);
        }
    }
}
