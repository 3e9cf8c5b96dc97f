package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** {@code x * scale + shift} with one scale and shift per channel: what inference leaves of many operators. */
record ChannelAffine(double[] scale, double[] shift) {

    /** A BatchNormalization of constant parameters over {@code channels}; null where it is not one. */
    static @Nullable ChannelAffine ofBatchNorm(Node norm, int channels) {
        boolean inference = norm.opset() < 7
                ? norm.attributes().flag("is_test", false)
                : !norm.attributes().isOne("training_mode", false);
        boolean spatial = norm.attributes().flag("spatial", true);
        boolean more = norm.outputs().stream().skip(1).anyMatch(output -> output != null && output.isUsed());
        double[] gamma = vector(norm.input(1), channels);
        double[] beta = vector(norm.input(2), channels);
        double[] mean = vector(norm.input(3), channels);
        double[] variance = vector(norm.input(4), channels);
        if (!inference || !spatial || more || gamma == null || beta == null || mean == null || variance == null) {
            return null;
        }
        double epsilon = norm.attributes().real("epsilon", 1e-5f);
        var affine = new ChannelAffine(new double[channels], new double[channels]);
        for (int i = 0; i < channels; i++) {
            affine.scale[i] = gamma[i] / Math.sqrt(variance[i] + epsilon);
            affine.shift[i] = beta[i] - mean[i] * affine.scale[i];
        }
        return affine.isFinite() ? affine : null;
    }

    /**
     * An Add, Sub, Mul or Div of {@code operand}, whose axis 1 has {@code channels} and whose rank is {@code rank}, by
     * a constant that is one number or one per channel; null where it is not one, or changes the shape.
     */
    static @Nullable ChannelAffine ofArithmetic(Node node, Value operand, int channels, int rank) {
        Value other = GraphPatterns.other(node, operand);
        double[] constants = other == null || other == operand ? null : perChannel(other.constant(), channels, rank);
        if (constants == null || node.opset() < 7) {
            return null;
        }
        boolean first = node.input(0) == operand;
        double[] ones = new double[channels];
        Arrays.fill(ones, 1);
        double[] zeros = new double[channels];
        ChannelAffine affine = switch (node.op().name()) {
            case OpName.ADD -> new ChannelAffine(ones, constants);
            case OpName.MUL -> new ChannelAffine(constants, zeros);
            case OpName.SUB ->
                first ? new ChannelAffine(ones, scaled(constants, -1)) : new ChannelAffine(scaled(ones, -1), constants);
            case OpName.DIV ->
                first
                        ? new ChannelAffine(
                                Arrays.stream(constants).map(c -> 1 / c).toArray(), zeros)
                        : null;
            default -> null;
        };
        return affine != null && affine.isFinite() ? affine : null;
    }

    private static double @Nullable [] vector(@Nullable Value value, int length) {
        Tensor tensor = value == null ? null : value.constant();
        if (tensor == null || !tensor.type().isFloating() || tensor.elements() != length) {
            return null;
        }
        return tensor.doubles();
    }

    private static double @Nullable [] perChannel(@Nullable Tensor tensor, int channels, int rank) {
        if (tensor == null || !tensor.type().isFloating() || tensor.shape().rank() > rank) {
            return null;
        }
        if (tensor.elements() == 1) {
            double[] all = new double[channels];
            Arrays.fill(all, tensor.doubles()[0]);
            return all;
        }
        Shape shape = tensor.shape();
        int channelAxis = shape.rank() - (rank - 1);
        boolean fits = channelAxis >= 0 && tensor.elements() == channels && shape.dim(channelAxis) == channels;
        return fits ? tensor.doubles() : null;
    }

    private static double[] scaled(double[] values, double by) {
        return Arrays.stream(values).map(value -> value * by).toArray();
    }

    /** Whether any channel is scaled. */
    boolean isScaling() {
        for (double factor : scale) {
            if (factor != 1) {
                return true;
            }
        }
        return false;
    }

    private boolean isFinite() {
        for (int i = 0; i < scale.length; i++) {
            if (!Double.isFinite(scale[i]) || !Double.isFinite(shift[i])) {
                return false;
            }
        }
        return true;
    }
}
