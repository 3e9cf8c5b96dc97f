package dev.millrace.bench.nets;

import dev.millrace.bench.kernels.Operands;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;

/** Random weights that keep the size of activations, layer by layer. */
final class LayerWeights {
    private static final float BIAS = 0.1f;

    /** How much wider than its standard deviation an even distribution reaches. */
    private static final float REACH_OF_EVEN = (float) Math.sqrt(3);

    private final Operands operands = new Operands(Arena.ofAuto());
    private final WeightDraw kind;

    LayerWeights(WeightDraw kind) {
        this.kind = kind;
    }

    /** Weights of one layer, and a bias for each of its outputs. */
    record Pair(Tensor weights, Tensor bias) {}

    Pair conv(Layers.Window window) {
        long inputs = (long) window.inPerGroup() * window.extent() * window.extent();
        return pair(
                window.bounded() ? 6 : 3, inputs, window.out(), window.inPerGroup(), window.extent(), window.extent());
    }

    Pair dense(int in, int out) {
        return pair(3, in, out, in);
    }

    private Pair pair(float gain, long inputs, long... dims) {
        float most = (float) Math.sqrt(gain / inputs);
        Tensor weights = kind == WeightDraw.EVEN
                ? operands.floatsBetween(-most, most, dims)
                : operands.normalFloats(most / REACH_OF_EVEN, dims);
        return new Pair(weights, operands.floatsBetween(-BIAS, BIAS, dims[0]));
    }
}
