package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A Conv or ConvTranspose whose weights and bias are constants that can take in what follows per channel. */
record FoldableConv(Node conv, Tensor weights, @Nullable Tensor bias, int channels) {
    /** So many weights are scaled on the heap at a time. */
    private static final int MOST_AT_ONCE = 1 << 12;

    /** The convolution that makes {@code value} for one reader; null where there is none, or it is not constant. */
    static @Nullable FoldableConv behind(@Nullable Value value, Node reader) {
        Node conv = GraphPatterns.inner(value, reader.graph(), OpName.CONV);
        boolean transposed = conv == null;
        if (conv == null) {
            conv = GraphPatterns.inner(value, reader.graph(), OpName.CONV_TRANSPOSE);
        }
        Value weights = conv == null ? null : conv.input(1);
        Tensor tensor = weights == null ? null : weights.constant();
        Value bias = conv == null ? null : conv.input(2);
        Tensor biasTensor = bias == null ? null : bias.constant();
        if (conv == null
                || tensor == null
                || bias != null && biasTensor == null
                || tensor.type() != ElementType.FLOAT && tensor.type() != ElementType.DOUBLE
                || tensor.shape().rank() < 3) {
            return null;
        }
        long group = conv.attributes().integer("group", 1);
        long channels =
                transposed ? tensor.shape().dim(1) * group : tensor.shape().dim(0);
        boolean sound = group > 0
                && tensor.shape().dim(0) % group == 0
                && channels > 0
                && channels <= Integer.MAX_VALUE
                && (biasTensor == null || biasTensor.elements() == channels && biasTensor.type() == tensor.type());
        return sound ? new FoldableConv(conv, tensor, biasTensor, (int) channels) : null;
    }

    int rank() {
        return weights.shape().rank();
    }

    /** The patch that lets the convolution do what {@code last}, its reader, does. */
    Patch absorb(ChannelAffine affine, Node last, PassContext context) {
        Patch.Builder patch = context.patch(last, conv.op() + " takes in " + last.op());
        String name = conv.requireInput(1).name();
        Value newWeights =
                affine.isScaling() ? patch.constant(name, context.own(scaled(affine.scale()))) : conv.requireInput(1);
        Value newBias = patch.constant(name + "_bias", shifted(affine));
        NodeSpec spec = NodeSpec.like(conv, Arrays.asList(conv.input(0), newWeights, newBias));
        return patch.replace(last.requireOutput(0), spec).build();
    }

    private Tensor scaled(double[] scale) {
        Shape shape = weights.shape();
        Tensor result = Tensor.allocate(weights.type(), shape);
        boolean transposed = conv.is(OpName.CONV_TRANSPOSE);
        long kernel = shape.elements(transposed ? 2 : 1, shape.rank());
        double[] factors = transposed ? ofTransposed(scale) : scale;
        if (weights.type() == ElementType.FLOAT) {
            scaleFloats(result, kernel, factors);
        } else {
            scaleDoubles(result, kernel, factors);
        }
        return result;
    }

    /** Rows of {@code kernel} times a factor each; as floats they are copied at once, which matters in Java that nothing has compiled. */
    private void scaleFloats(Tensor result, long kernel, double[] factors) {
        long count = result.elements();
        var part = new float[(int) Math.min(count, MOST_AT_ONCE)];
        for (long first = 0; first < count; first += part.length) {
            int now = (int) Math.min(part.length, count - first);
            Elements.read(ElementType.FLOAT, weights.segment(), first, part, 0, now);
            for (int i = 0; i < now; ) {
                long row = (first + i) / kernel;
                int end = (int) Math.min(now, (row + 1) * kernel - first);
                multiply(part, i, end, factors[(int) row]);
                i = end;
            }
            Elements.write(ElementType.FLOAT, result.segment(), first, part, 0, now);
        }
    }

    private static void multiply(float[] numbers, int from, int to, double factor) {
        for (int i = from; i < to; i++) {
            numbers[i] = (float) (numbers[i] * factor);
        }
    }

    private void scaleDoubles(Tensor result, long kernel, double[] factors) {
        long count = result.elements();
        var part = new double[(int) Math.min(count, MOST_AT_ONCE)];
        for (long first = 0; first < count; first += part.length) {
            int now = (int) Math.min(part.length, count - first);
            Elements.read(weights.type(), weights.segment(), first, part, 0, now);
            for (int i = 0; i < now; i++) {
                part[i] *= factors[(int) ((first + i) / kernel)];
            }
            Elements.write(weights.type(), result.segment(), first, part, 0, now);
        }
    }

    /** A factor for each row of a ConvTranspose's weights. */
    private double[] ofTransposed(double[] scale) {
        var factors = new double[Math.toIntExact(weights.shape().elements(0, 2))];
        for (int row = 0; row < factors.length; row++) {
            factors[row] = scale[channelOfTransposed(row)];
        }
        return factors;
    }

    /** The weights of a ConvTranspose lie as [input channel][output channel of its group][kernel]. */
    private int channelOfTransposed(long row) {
        long perGroup = weights.shape().dim(1);
        long inputsPerGroup = weights.shape().dim(0) / (channels / perGroup);
        return (int) (row / perGroup / inputsPerGroup * perGroup + row % perGroup);
    }

    private Tensor shifted(ChannelAffine affine) {
        double[] values = bias == null ? new double[channels] : bias.doubles();
        for (int i = 0; i < channels; i++) {
            values[i] = values[i] * affine.scale()[i] + affine.shift()[i];
        }
        return Constants.of(weights.type(), values, channels);
    }
}
