package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.lowp.QuantisedOutput;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.ByteWeights;
import dev.millrace.providers.simd.rule.common.Tables;
import org.jspecify.annotations.Nullable;

/** Products and convolutions of bytes, most of them by constant weights. */
public final class QuantisedProductRules {
    private static final int BIAS_OF_CONV = 8;

    private QuantisedProductRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.MATMUL_INTEGER -> op -> integers(op) || VaryingProduct.integers(op);
            case "QLinearMatMul" -> op -> bytes(op) || VaryingProduct.bytes(op);
            case OpName.CONV_INTEGER -> QuantisedProductRules::integers;
            case OpName.Q_LINEAR_CONV -> QuantisedProductRules::bytes;
            default -> null;
        };
    }

    private static @Nullable ByteSums sums(
            LoweringContext op,
            boolean conv,
            ValueState in,
            @Nullable ValueState zero,
            ByteWeights weights,
            boolean transposed) {
        return conv
                ? ConvSums.of(op, in, zero, weights)
                : ProductSums.of(
                        op.lowering(), in, zero, weights, transposed, op.out().shape());
    }

    private static boolean integers(LoweringContext op) {
        Tensor constant = op.in(1).known();
        ValueState zeros = op.find(3);
        if (constant == null || zeros != null && zeros.known() == null) {
            return false;
        }
        var weights = new ByteWeights(op.environment(), constant, zeros == null ? null : zeros.known());
        ByteSums sums = sums(op, op.name().equals(OpName.CONV_INTEGER), op.in(0), op.find(2), weights, false);
        if (sums == null) {
            return false;
        }
        op.lowering().defer(op.out(), new IntegerRoot(sums));
        return true;
    }

    /** A QLinearMatMul or a QLinearConv. */
    private static boolean bytes(LoweringContext op) {
        for (int i = 1; i < op.inputs(); i++) {
            if (op.has(i) && op.in(i).known() == null) {
                return false;
            }
        }
        boolean conv = op.name().equals(OpName.Q_LINEAR_CONV);
        Tensor constant = op.in(3).known();
        Tensor scaleOfRows = op.in(1).known();
        Tensor scales = op.in(4).known();
        Tensor zeros = op.in(5).known();
        Tensor scale = op.in(6).known();
        Tensor zero = op.in(7).known();
        if (constant == null || scaleOfRows == null || scales == null || scale == null || zero == null) {
            return false;
        }
        boolean fits = op.in(1).isFloat()
                && op.in(4).isFloat()
                && op.in(6).isFloat()
                && scaleOfRows.elements() == 1
                && scales.shape().rank() <= 1
                && scale.elements() == 1
                && zero.elements() == 1
                && ByteWeights.areBytes(op.out().type());
        if (!fits) {
            return false;
        }
        float ofRows = Tables.floatsOf(op.environment(), scaleOfRows)[0];
        float[] ofColumns = Tables.floatsOf(op.environment(), scales);
        float ofResult = Tables.floatsOf(op.environment(), scale)[0];
        if (!ScaledSums.areDivisors(ofRows, ofResult) || !ScaledSums.areDivisors(ofColumns)) {
            return false;
        }
        ByteSums sums = sums(op, conv, op.in(0), op.in(2), new ByteWeights(op.environment(), constant, zeros), false);
        if (sums == null) {
            return false;
        }
        ScaledSums scaled = ScaledSums.of(sums, ofRows, ofColumns);
        if (op.inputs() > BIAS_OF_CONV && op.find(BIAS_OF_CONV) instanceof ValueState bias && bias.known() != null) {
            scaled = scaled.withInts(bias.known());
        }
        QuantisedOutput output = op.out().type() == ElementType.UINT8 ? QuantisedOutput.U8 : QuantisedOutput.S8;
        int point = Tables.intsOf(op.environment(), zero)[0];
        return scaled.addBytes(op.out(), new Requantised(ofResult, point, output));
    }

    /** A Conv, MatMul or Gemm of bytes that were widened before; false where it is none. */
    public static boolean dequantised(LoweringContext op) {
        boolean conv = op.name().equals(OpName.CONV);
        boolean gemm = op.name().equals(OpName.GEMM);
        Dequantised in = Dequantised.of(op, 0);
        Dequantised by = in == null ? null : Dequantised.of(op, 1);
        boolean transposed = gemm && op.attributes().flag("transB", false);
        ByteWeights weights = by == null ? null : by.weights(op, conv || transposed ? 0 : 1);
        if (in == null || by == null || weights == null || !in.hasOneScale() || gemm && !isSimple(op)) {
            return false;
        }
        ValueState bias = op.inputs() > 2 ? op.find(2) : null;
        Tensor added = bias == null ? null : bias.known();
        ByteSums sums = sums(op, conv, in.bytes(), in.zero(), weights, transposed);
        boolean biasFits = bias == null
                || added != null
                        && bias.isFloat()
                        && sums != null
                        && (added.elements() == 1
                                || added.elements() == sums.columns()
                                        && bias.shape().dimAt(-1) == sums.columns());
        if (sums == null || !biasFits) {
            return false;
        }
        op.lowering().passOver(op.in(0));
        ScaledSums scaled = ScaledSums.of(sums, in.scales()[0], by.scales());
        op.lowering().defer(op.out(), new ScaledRoot(added == null ? scaled : scaled.withFloats(added)));
        return true;
    }

    private static boolean isSimple(LoweringContext op) {
        return op.opset() >= 7
                && !op.attributes().flag("transA", false)
                && op.attributes().real("alpha", 1) == 1
                && op.attributes().real("beta", 1) == 1;
    }
}
