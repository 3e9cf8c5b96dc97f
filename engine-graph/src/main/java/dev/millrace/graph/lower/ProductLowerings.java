package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Products of quantised and of sparse matrices. */
final class ProductLowerings {
    private ProductLowerings() {}

    static @Nullable Lowering lowering(Node node) {
        return switch (node.op().name()) {
            case "MatMulIntegerToFloat" -> ProductLowerings::integerToFloat;
            case "DynamicQuantizeMatMul" -> ProductLowerings::dynamic;
            case "DynamicQuantizeLSTM" -> QuantisedLowerings::lstm;
            case OpName.DEQUANTIZE_LINEAR -> c -> QuantisedLowerings.renamed(c, OpName.DEQUANTIZE_LINEAR);
            case "QGemm" -> ProductLowerings::gemm;
            case "MulInteger" -> ProductLowerings::mulInteger;
            case "ReduceSumInteger" -> ProductLowerings::sum;
            case "SparseToDenseMatMul" -> ProductLowerings::sparse;
            case "MatMulInteger16" -> ProductLowerings::integer16;
            case "MatMulBnb4" -> BlockLowering::write;
            case "MatMulFpQ4" -> PackedBlockLowering::write;
            case "GemmFloat8" -> ProductLowerings::gemmFloat8;
            default -> null;
        };
    }

    private static void integerToFloat(Composer c) {
        c.result(QuantisationSteps.product(
                c, c.element(2), c.input(0), c.input(1), c.input(2), c.input(3), c.find(4), c.find(5), c.find(6)));
    }

    /** The left matrix is quantised by its own extremes. */
    private static void dynamic(Composer c) {
        List<Value> a = c.add(c.onnx(OpName.DYNAMIC_QUANTIZE_LINEAR, c.input(0)), 3);
        c.result(QuantisationSteps.product(
                c, ElementType.FLOAT, a.getFirst(), c.input(1), a.get(1), c.input(2), a.get(2), c.find(3), c.find(4)));
    }

    /** A bias of whole numbers has the scale of the product. Without a scale the result is real. */
    private static void gemm(Composer c) {
        Value a = turned(c, c.input(0), "transA");
        Value b = turned(c, c.input(3), "transB");
        Value sums = c.op(OpName.MATMUL_INTEGER, a, b, c.find(2), c.find(5));
        if (c.has(6)) {
            sums = c.op(OpName.ADD, sums, c.input(6));
        }
        Value scale = c.op(OpName.MUL, c.input(1), c.input(4));
        float alpha = c.attributes().real("alpha", 1f);
        if (alpha != 1) {
            scale = c.op(OpName.MUL, scale, c.scalar(ElementType.FLOAT, alpha));
        }
        Value real = c.op(OpName.MUL, c.cast(sums, ElementType.FLOAT), scale);
        c.result(c.has(7) ? QuantisationSteps.quantised(c, real, 7, c.has(8) ? c.element(8) : c.element(0)) : real);
    }

    private static Value turned(Composer c, Value matrix, String attribute) {
        return c.attributes().flag(attribute, false) ? c.transpose(matrix, 1, 0) : matrix;
    }

    /** Differences from zero points, multiplied. */
    private static void mulInteger(Composer c) {
        c.result(c.op(OpName.MUL, difference(c, 0), difference(c, 2)));
    }

    private static Value difference(Composer c, int input) {
        Value value = c.cast(c.input(input), ElementType.INT32);
        return c.has(input + 1) ? c.op(OpName.SUB, value, c.cast(c.input(input + 1), ElementType.INT32)) : value;
    }

    private static void sum(Composer c) {
        long[] axes = c.attributes().integers("axes");
        ElementType wide = c.element(0) == ElementType.UINT8 ? ElementType.UINT32 : ElementType.INT32;
        Value value = c.cast(c.input(0), wide);
        c.result(c.add(
                (axes == null ? c.onnx(OpName.REDUCE_SUM, value) : c.onnx(OpName.REDUCE_SUM, value, c.longs(axes)))
                        .with("keepdims", Attribute.of(c.attributes().integer("keepdims", 1)))));
    }

    /** Sums that do not fit 32 bits wrap. */
    private static void integer16(Composer c) {
        boolean unsigned = c.element(0) == ElementType.UINT16 && c.element(1) == ElementType.UINT16;
        ElementType wide = unsigned ? ElementType.UINT32 : ElementType.INT32;
        c.result(c.op(OpName.MATMUL, c.cast(c.input(0), wide), c.cast(c.input(1), wide)));
    }

    /** Matrices that may be small floats with a scale; so may the result. */
    private static void gemmFloat8(Composer c) {
        NodeSpec spec = c.onnx(
                        OpName.GEMM,
                        scaled(c, 0, 3),
                        scaled(c, 1, 4),
                        c.has(2) ? c.cast(c.input(2), ElementType.FLOAT) : null)
                .with(c.attributes().without("activation").without("dtype"))
                .with("beta", Attribute.of(c.attributes().real("beta", 0f)));
        Value y = c.add(spec);
        String activation = c.attributes().text("activation", "NONE");
        y = switch (activation) {
            case "NONE" -> y;
            case "RELU" -> c.op(OpId.RELU.name(), y);
            case "GELU" -> c.op(OpName.GELU, y);
            default -> throw c.refuse("activation '" + activation + "'");
        };
        y = c.has(5) ? c.op(OpName.MUL, y, c.op(OpName.RESHAPE, c.input(5), c.longs())) : y;
        c.result(c.cast(y, c.elementAttribute("dtype", ElementType.FLOAT)));
    }

    private static Value scaled(Composer c, int input, int scale) {
        Value real = c.cast(c.input(input), ElementType.FLOAT);
        return c.has(scale) ? c.op(OpName.MUL, real, c.op(OpName.RESHAPE, c.input(scale), c.longs())) : real;
    }

    /** Sparse constants and inputs are read as dense ones. */
    private static void sparse(Composer c) {
        Value a = turned(c, c.input(0), "transA");
        Value b = c.input(1);
        if (c.attributes().flag("transB", false)) {
            int rank = c.rank(1);
            long[] permutation = new long[rank];
            for (int i = 0; i < rank; i++) {
                permutation[i] = i < rank - 2 ? i : 2L * rank - 3 - i;
            }
            b = c.transpose(b, permutation);
        }
        Value product = c.op(OpName.MATMUL, a, b);
        float alpha = c.attributes().real("alpha", 1f);
        c.result(alpha == 1 ? product : c.op(OpName.MUL, product, c.scalar(c.element(1), alpha)));
    }
}
