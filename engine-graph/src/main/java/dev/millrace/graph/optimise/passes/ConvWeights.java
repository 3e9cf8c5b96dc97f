package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A Conv or ConvTranspose whose weights and bias are constants that can take in what follows per channel. */
record ConvWeights(Node conv, Tensor weights, @Nullable Tensor bias, int channels) {
    /** So many weights are scaled on the heap at a time. */
    private static final int MOST_AT_ONCE = 1 << 16;

    /** The convolution that makes {@code value} for one reader; null where there is none, or it is not constant. */
    static @Nullable ConvWeights behind(@Nullable Value value, Node reader) {
        Node conv = Match.inner(value, reader.graph(), "Conv");
        boolean transposed = conv == null;
        if (conv == null) {
            conv = Match.inner(value, reader.graph(), "ConvTranspose");
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
        return sound ? new ConvWeights(conv, tensor, biasTensor, (int) channels) : null;
    }

    int rank() {
        return weights.shape().rank();
    }

    /** The patch that lets the convolution do what {@code last}, its reader, does. */
    Patch absorb(ChannelAffine affine, Node last, PassContext context) {
        Patch.Builder patch = context.patch(last, conv.op() + " takes in " + last.op());
        String name = conv.requireInput(1).name();
        Value newWeights = affine.isScaling() ? patch.constant(name, scaled(affine.scale())) : conv.requireInput(1);
        Value newBias = patch.constant(name + "_bias", shifted(affine));
        NodeSpec spec = NodeSpec.like(conv, Arrays.asList(conv.input(0), newWeights, newBias));
        return patch.replace(last.requireOutput(0), spec).build();
    }

    private Tensor scaled(double[] scale) {
        Shape shape = weights.shape();
        Tensor result = Tensor.allocate(weights.type(), shape);
        boolean transposed = conv.is("ConvTranspose");
        int kernel = Math.toIntExact(shape.elements(transposed ? 2 : 1, shape.rank()));
        int rows = kernel == 0 ? 0 : Math.toIntExact(shape.elements() / kernel);
        int atOnce = Math.max(1, MOST_AT_ONCE / Math.max(1, kernel));
        for (int first = 0; first < rows; first += atOnce) {
            var factors = new double[Math.min(atOnce, rows - first)];
            for (int i = 0; i < factors.length; i++) {
                factors[i] = scale[transposed ? channelOfTransposed(first + i) : first + i];
            }
            scale(result, (long) first * kernel, kernel, factors);
        }
        return result;
    }

    /** Rows of {@code kernel} elements times a factor each. */
    private void scale(Tensor result, long first, int kernel, double[] factors) {
        int count = kernel * factors.length;
        if (weights.type() == ElementType.FLOAT) {
            // as floats they are copied at once, which matters while the JVM has not compiled anything
            float[] part = new float[count];
            Elements.read(ElementType.FLOAT, weights.segment(), first, part, 0, count);
            for (int i = 0, row = 0; row < factors.length; row++) {
                for (int end = i + kernel; i < end; i++) {
                    part[i] = (float) (part[i] * factors[row]);
                }
            }
            Elements.write(ElementType.FLOAT, result.segment(), first, part, 0, count);
            return;
        }
        double[] part = new double[count];
        Elements.read(weights.type(), weights.segment(), first, part, 0, count);
        for (int i = 0; i < count; i++) {
            part[i] *= factors[i / kernel];
        }
        Elements.write(weights.type(), result.segment(), first, part, 0, count);
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
