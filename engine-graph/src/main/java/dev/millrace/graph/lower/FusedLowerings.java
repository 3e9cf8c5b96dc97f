package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.lower.Lowerings.Lowering;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Lowers the fused operators that ONNX Runtime's optimiser writes, such as FusedConv and FusedMatMul. */
final class FusedLowerings {
    private FusedLowerings() {}

    static @Nullable Lowering lowering(Node node) {
        return switch (node.op().name()) {
            case "FusedConv" -> c -> c.result(conv(c, c.input(0), c.find(3)));
            case "NhwcConv", "NhwcFusedConv" -> FusedLowerings::channelsLastConv;
            case "NhwcMaxPool" ->
                c -> c.result(ChannelsLast.around(
                        c,
                        c.input(0),
                        c.rank(0),
                        x -> c.add(c.onnx(OpName.MAX_POOL, x).with(c.attributes()))));
            case "FusedGemm" -> FusedLowerings::gemm;
            case "GemmFastGelu" -> FusedLowerings::gemmFastGelu;
            case "FusedMatMulActivation" -> FusedLowerings::matMulActivation;
            case "FusedMatMul" ->
                node.attributes().flag("transBatchA", false)
                                || node.attributes().flag("transBatchB", false)
                        ? c -> c.result(matMul(c))
                        : null;
            case "BiasSoftmax" -> FusedLowerings::softmax;
            case "BiasSplitGelu" -> FusedLowerings::splitGelu;
            case "BiasDropout", "BitmaskBiasDropout" -> FusedLowerings::biasDropout;
            case "BitmaskDropout" -> c -> dropout(c, c.input(0), null, 1);
            case "GroupNorm", "SkipGroupNorm" -> FusedLowerings::groupNorm;
            default -> null;
        };
    }

    private static Value biased(Composer c) {
        return c.op(OpName.ADD, c.input(0), c.input(1));
    }

    private static Value conv(Composer c, Value x, @Nullable Value added) {
        Attributes attributes = c.attributes().without("activation").without("activation_params");
        Value y = c.add(c.onnx(OpName.CONV, x, c.input(1), c.find(2)).with(attributes));
        return ActivationAttributes.listed(c, added == null ? y : c.op(OpName.ADD, y, added), c.element(0));
    }

    private static void channelsLastConv(Composer c) {
        int rank = c.rank(0);
        Value added = c.find(3);
        Value addedInFront = added == null ? null : ChannelsLast.front(c, added, rank);
        c.result(ChannelsLast.around(c, c.input(0), rank, x -> conv(c, x, addedInFront)));
    }

    private static void gemm(Composer c) {
        NodeSpec spec = c.onnx(OpName.GEMM, c.input(0), c.input(1), c.find(2));
        for (String name : List.of("alpha", "beta", "transA", "transB")) {
            spec = withAttribute(c, spec, name);
        }
        c.result(ActivationAttributes.named(c, c.add(spec)));
    }

    private static NodeSpec withAttribute(Composer c, NodeSpec spec, String attribute) {
        Attribute value = c.attributes().find(attribute);
        return value == null ? spec : spec.with(attribute, value);
    }

    private static void gemmFastGelu(Composer c) {
        Value product = c.op(OpName.MATMUL, c.input(0), c.input(1));
        Value sum = c.has(2) ? c.op(OpName.ADD, product, c.input(2)) : product;
        c.result(c.add(c.onnx(OpName.GELU, sum).with("approximate", Attribute.of("tanh"))));
    }

    private static void matMulActivation(Composer c) {
        Value product = matMul(c);
        if (c.attributes().text("activation").equals(OpName.SOFTMAX)) {
            c.result(c.add(c.onnx(OpName.SOFTMAX, product)
                    .with("axis", Attribute.of(c.attributes().integer("activation_axis", -1)))));
        } else {
            c.result(ActivationAttributes.named(c, product));
        }
    }

    /** Writes a product whose operands may have their rows in front of the batch axes. */
    private static Value matMul(Composer c) {
        NodeSpec spec = c.contributed("FusedMatMul", operand(c, 0, "transBatchA"), operand(c, 1, "transBatchB"));
        for (String name : List.of("alpha", "transA", "transB")) {
            spec = withAttribute(c, spec, name);
        }
        return c.add(spec);
    }

    private static Value operand(Composer c, int input, String attribute) {
        Value value = c.input(input);
        if (!c.attributes().flag(attribute, false) || c.rank(input) < 3) {
            return value;
        }
        int rank = c.rank(input);
        long[] permutation = new long[rank];
        for (int i = 0; i < rank - 2; i++) {
            permutation[i] = i + 1;
        }
        permutation[rank - 2] = 0;
        permutation[rank - 1] = rank - 1;
        return c.transpose(value, permutation);
    }

    /** Lowers BiasSoftmax. The softmax covers all axes from {@code axis} on, as before opset 13. */
    private static void softmax(Composer c) {
        NodeSpec spec = c.onnx(OpName.SOFTMAX, 11, biased(c))
                .with("axis", Attribute.of(c.attributes().integer("axis", 1)));
        c.result(c.add(spec));
    }

    private static void splitGelu(Composer c) {
        List<Value> halves = c.split(biased(c), 2);
        c.result(c.op(OpName.MUL, halves.getFirst(), c.op(OpName.GELU, halves.getLast())));
    }

    private static void biasDropout(Composer c) {
        dropout(c, biased(c), c.find(2), 3);
    }

    /** Writes Dropout, whose inputs are those from {@code ratio} on, with an optional residual and mask output. */
    private static void dropout(Composer c, Value x, @Nullable Value residual, int ratio) {
        NodeSpec spec = c.onnx(OpName.DROPOUT, x, c.find(ratio), c.find(ratio + 1));
        List<Value> outputs = c.add(withAttribute(c, spec, "seed"), c.wants(1) ? 2 : 1);
        Value kept = outputs.getFirst();
        c.result(residual == null ? kept : c.op(OpName.ADD, kept, residual));
        if (c.wants(1)) {
            boolean packed = c.node().op().name().startsWith("Bitmask");
            c.result(1, packed ? bits(c, outputs.getLast()) : outputs.getLast());
        }
    }

    /** Packs 32 flags into a number, the first in its lowest bit. */
    private static Value bits(Composer c, Value flags) {
        Value flat = c.cast(c.op(OpName.RESHAPE, flags, c.longs(-1)), ElementType.UINT32);
        Value missing = c.op(OpName.MOD, c.op(OpName.NEG, c.op(OpName.SHAPE, flat)), c.longs(Integer.SIZE));
        Value filled = c.op(OpName.PAD, flat, c.concat(0, c.longs(0), missing));
        double[] powers = new double[Integer.SIZE];
        Arrays.setAll(powers, i -> 1L << i);
        Value weights = c.reals(ElementType.UINT32, Shape.of(powers.length), powers);
        Value words = c.op(OpName.MUL, c.op(OpName.RESHAPE, filled, c.longs(-1, powers.length)), weights);
        return c.add(c.onnx(OpName.REDUCE_SUM, words, c.longs(1)).with("keepdims", Attribute.of(0)));
    }

    /**
     * Lowers GroupNorm and SkipGroupNorm: normalisation over groups of channels, which come last by default, with an
     * optional swish. With a skip the sum is normalised.
     */
    private static void groupNorm(Composer c) {
        Value x = c.input(0);
        int rank = c.rank(0);
        c.refuse(rank < 3, "images of " + rank + " axes");
        boolean last = c.attributes().flag("channels_last", true);
        if (c.has(3)) {
            c.refuse(c.rank(3) != rank, "a skip of another rank");
            x = c.op(OpName.ADD, x, c.input(3));
            if (c.has(4)) {
                Value bias = last ? c.input(4) : c.op(OpName.UNSQUEEZE, c.input(4), c.longs(inner(rank)));
                x = c.op(OpName.ADD, x, bias);
            }
            c.result(1, x);
        }
        Value scale = c.op(OpName.CAST_LIKE, c.input(1), x);
        Value shift = c.op(OpName.CAST_LIKE, c.input(2), x);
        Attributes attributes = Attributes.of(
                        "num_groups", Attribute.of(c.attributes().integer("groups")))
                .with("epsilon", Attribute.of(c.attributes().real("epsilon", 1e-5f)));
        UnaryOperator<Value> norm = front ->
                c.add(c.onnx(OpName.GROUP_NORMALIZATION, front, scale, shift).with(attributes));
        Value y = last ? ChannelsLast.around(c, x, rank, norm) : norm.apply(x);
        c.result(c.attributes().integer("activation", 0) == 0 ? y : c.op(OpName.MUL, y, c.op(OpName.SIGMOID, y)));
    }

    private static long[] inner(int rank) {
        long[] axes = new long[rank - 2];
        for (int i = 0; i < axes.length; i++) {
            axes[i] = i + 1;
        }
        return axes;
    }
}
