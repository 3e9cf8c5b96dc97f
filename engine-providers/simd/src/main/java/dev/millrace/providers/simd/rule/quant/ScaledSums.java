package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.lowp.QuantisedOutput;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Tables;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Integer products of bytes whose scales are known.
 *
 * @param factors the factors of the sums: one, or one for each column
 * @param bias the numbers added to the columns before they are scaled, or null
 */
record ScaledSums(ByteSums sums, double[] factors, double @Nullable [] bias) {
    /** The relative error of a bias that is a multiple of a scale, after bias and scale were rounded to floats. */
    private static final double FLOAT_PRECISION = 0x1p-21;

    /** The largest factor that counts as small: ints times such factors stay within the range of ints. */
    private static final float MOST_OF_SMALL = 0.5f;

    /** Whether numbers can be divided by each of these scales and multiplied by it again. */
    static boolean areDivisors(float... scales) {
        for (float scale : scales) {
            float size = Math.abs(scale);
            if (!(size >= Float.MIN_NORMAL && size <= Float.MAX_VALUE)) {
                return false;
            }
        }
        return true;
    }

    /** Returns sums without a bias. All scales have to be {@linkplain #areDivisors divisors}. */
    static ScaledSums of(ByteSums sums, float scaleOfRows, float[] scalesOfColumns) {
        double[] factors = new double[scalesOfColumns.length];
        Arrays.setAll(factors, i -> (double) scaleOfRows * scalesOfColumns[i]);
        return new ScaledSums(sums, factors, null);
    }

    /** Returns these sums with a bias of ints, in units of the sums. */
    ScaledSums withInts(Tensor bias) {
        int[] ints = Tables.intsOf(sums.lowering().environment(), bias);
        double[] numbers = new double[ints.length];
        Arrays.setAll(numbers, i -> ints[i]);
        return new ScaledSums(sums, factors, numbers);
    }

    /** Returns these sums with a bias of floats. */
    ScaledSums withFloats(Tensor bias) {
        float[] values = Tables.floatsOf(sums.lowering().environment(), bias);
        double[] numbers = new double[Math.toIntExact(sums.columns())];
        Arrays.setAll(numbers, i -> values[values.length == 1 ? 0 : i] / factor(i));
        return new ScaledSums(sums, factors, numbers);
    }

    private double factor(int column) {
        return factors[factors.length == 1 ? 0 : column];
    }

    /** Adds the step that writes floats. */
    void addFloats(ValueState result, Activation activation) {
        float[] scales = new float[factors.length];
        for (int i = 0; i < scales.length; i++) {
            scales[i] = (float) factors[i];
        }
        View by = Tables.floats(scales);
        float[] added = new float[bias == null ? 0 : bias.length];
        for (int i = 0; i < added.length && bias != null; i++) {
            added[i] = (float) (bias[i] * factor(i));
        }
        add("as floats " + activation, result, by, Tables.floats(added), QuantisedOutput.F32, activation, 0, false);
    }

    /**
     * Adds the step that writes bytes. Returns false where the bias is not integral: it would be rounded before the sum
     * is.
     */
    boolean addBytes(ValueState result, Requantised to) {
        int[] added = new int[bias == null ? 0 : bias.length];
        for (int i = 0; i < added.length && bias != null; i++) {
            double rounded = Math.rint(bias[i]);
            double lost = Math.abs(bias[i] - rounded);
            if (!(Math.abs(rounded) <= Integer.MAX_VALUE && lost <= FLOAT_PRECISION * Math.abs(rounded))) {
                return false;
            }
            added[i] = (int) rounded;
        }
        float[] scales = new float[factors.length];
        boolean small = true;
        for (int i = 0; i < scales.length; i++) {
            scales[i] = (float) (factors[i] / to.scale());
            small &= Math.abs(scales[i]) <= MOST_OF_SMALL;
        }
        View by = Tables.floats(scales);
        add("as bytes", result, by, Tables.ints(added), to.output(), Activation.NONE, to.zero(), small);
        return true;
    }

    private void add(
            String what,
            ValueState result,
            View by,
            View added,
            QuantisedOutput output,
            Activation activation,
            int zero,
            boolean small) {
        boolean biased = bias != null;
        sums.add(what, result, null, biased ? List.of(by, added) : List.of(by), memory -> {
            MemorySegment scales = memory.segment(by);
            MemorySegment numbers = biased ? memory.segment(added) : null;
            return (data, columns) ->
                    new QuantisedResult(data, output, columns, scales, numbers, activation, zero, small);
        });
    }
}
