package dev.millrace.providers.simd.rule.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorParts;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightType;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.Weights;
import java.util.List;

/**
 * The type that the scales of weights are packed in. Scales that half precision holds exactly, as those of most exports, are
 * packed so: a token reads each scale once, and of 4-bit weights in blocks of 32 they are a fifth of the bytes otherwise.
 *
 * @param sources the weights, their scales, and zero points if there are any
 */
record StoredScales(CompileEnvironment environment, List<Tensor> sources, long k, long n) {
    private static final int CHUNK = 1 << 14;

    /** Returns the format that the weights are packed in already, or else the one that they are to be packed in. */
    WeightFormat format(WeightType type, int block, boolean zeros) {
        var half = new WeightFormat(type, block, zeros, true);
        var whole = new WeightFormat(type, block, zeros);
        Weights weights = environment.weights();
        if (weights.has(sources, layout(half))) {
            return half;
        }
        Tensor scales = sources.get(1);
        boolean isKept = weights.has(sources, layout(whole)) || scales.isClosed();
        return !isKept && fitHalves(scales) ? half : whole;
    }

    private Layout layout(WeightFormat format) {
        WeightGemm gemm = environment.driver(format, () -> new WeightGemm(environment.kernels(), format));
        return Layout.forAllShapes(gemm.packedLayout(), gemm.packedBytes(k, n));
    }

    private static boolean fitHalves(Tensor scales) {
        if (scales.type() != ElementType.FLOAT) {
            return scales.type() == ElementType.FLOAT16;
        }
        for (long from = 0; from < scales.elements(); from += CHUNK) {
            int count = (int) Math.min(CHUNK, scales.elements() - from);
            for (float scale : TensorParts.floats(scales, from, count)) {
                if (Float.float16ToFloat(Float.floatToFloat16(scale)) != scale) {
                    return false;
                }
            }
        }
        return true;
    }
}
