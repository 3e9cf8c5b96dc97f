package dev.millrace.graph.quantize;

import dev.millrace.graph.tensor.ElementType;

/**
 * Rounds one block of weights after another to few bits. A block's scale is the best of several: for each, weights are
 * rounded to the nearest code, and least squares then give the scale that suits these codes best. The candidates make the
 * codes' range a little narrower or wider than the block's. Not for several threads.
 */
final class BlockRounding {
    /** Candidates for a symmetric range, relative to the one whose end is the largest weight. */
    private static final double[] REACHES = {1, 0.84, 0.9, 0.95, 1.06, 1.12, 1.18};

    /** Candidates for a range with a zero point, relative to the one from the least to the largest weight. */
    private static final double[] SHRINKS = {1, 0.94, 0.88, 0.82};

    /** The candidate of those that search nothing. */
    private static final double[] WHOLE = {1};

    /** Adding and subtracting it rounds a float of up to 22 bits to the nearest integer, ties to even. */
    private static final float ROUNDING = 0x1.8p23f;

    private final int levels;
    private final boolean symmetric;
    private final boolean search;
    private final ElementType scaleType;
    private float[] trial = new float[0];
    private float[] best = new float[0];
    private float scale;
    private int zero;
    private double error;
    private double power;

    BlockRounding(QuantizeOptions options, ElementType scaleType) {
        this.levels = (1 << options.bits()) - 1;
        this.symmetric = options.symmetric();
        this.search = options.scaleSearch();
        this.scaleType = scaleType;
    }

    /** Rounds a block. Its error is infinite if no scale represents its weights. */
    void round(float[] weights, int from, int count) {
        if (trial.length < count) {
            trial = new float[count];
            best = new float[count];
        }
        float low = 0;
        float high = 0;
        power = 0;
        for (int i = from; i < from + count; i++) {
            low = Math.min(low, weights[i]);
            high = Math.max(high, weights[i]);
            power += (double) weights[i] * weights[i];
        }
        error = Double.POSITIVE_INFINITY;
        scale = 0;
        zero = (levels + 1) / 2;
        if (symmetric) {
            // the largest weight has the sign of the code with the largest magnitude
            double step = (-low > high ? low : high) / (double) -zero;
            for (double reach : search ? REACHES : WHOLE) {
                consider(weights, from, count, (float) (step * reach), zero);
            }
        } else {
            for (double shrink : search ? SHRINKS : WHOLE) {
                double step = ((double) high - low) * shrink / levels;
                double exact = step == 0 ? zero : -low * shrink / step;
                int nearest = Math.clamp(Math.round(exact), 0, levels);
                int other = Math.clamp(nearest + (exact > nearest ? 1 : -1), 0, levels);
                consider(weights, from, count, (float) step, nearest);
                if (search && other != nearest) {
                    consider(weights, from, count, (float) step, other);
                }
            }
        }
    }

    private void consider(float[] weights, int from, int count, float step, int zeroPoint) {
        float first = search ? step : stored(step);
        float perStep = Math.abs(first) < Float.MIN_NORMAL ? 0 : 1 / first;
        float least = -zeroPoint;
        float most = levels - zeroPoint;
        float[] codes = trial;
        for (int i = 0; i < count; i++) {
            float code = Math.max(least, Math.min(most, weights[from + i] * perStep));
            codes[i] = code + ROUNDING - ROUNDING;
        }
        double dot = 0;
        double square = 0;
        for (int i = 0; i < count; i++) {
            dot += (double) codes[i] * weights[from + i];
            square += (double) codes[i] * codes[i];
        }
        float suited = search && square > 0 ? stored((float) (dot / square)) : first;
        double loss = power - 2 * suited * dot + (double) suited * suited * square;
        if (loss < error) {
            error = loss;
            scale = suited;
            zero = zeroPoint;
            trial = best;
            best = codes;
        }
    }

    private float stored(float value) {
        return scaleType == ElementType.FLOAT16 ? Float.float16ToFloat(Float.floatToFloat16(value)) : value;
    }

    /** The scale of the last block, of a value that its type has. */
    float scale() {
        return scale;
    }

    /** The zero point of the last block. */
    int zero() {
        return zero;
    }

    /** The code of weight {@code i} of the last block, the zero point added. */
    int code(int i) {
        return (int) best[i] + zero;
    }

    /** The sum of the squared errors of the last block. */
    double error() {
        return error;
    }

    /** The sum of the squared weights of the last block. */
    double power() {
        return power;
    }
}
