package dev.millrace.providers.simd.rule.conv;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.StoredFloats;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.WindowAxes;
import dev.millrace.providers.simd.rule.move.PadRoot;
import dev.millrace.providers.simd.rule.quant.QuantisedProductRules;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Convolutions of images. */
public final class ConvRules {
    /** A transposed convolution is a convolution for each remainder of the strides, each of which is planned. */
    private static final int MOST_PHASES = 4096;
    /** Kernels take places of a row that are so far apart. */
    private static final int FARTHEST = 1 << 16;

    /** Calls of kernels are planned for each tap of a window, and many more are those of no model. */
    private static final double MOST_TAPS = 1 << 16;

    private ConvRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            // one that is the other half of a transform was lowered with the first
            case OpName.CONV -> op -> op.out().isInMemory() || QuantisedProductRules.dequantised(op) || conv(op);
            case OpName.CONV_TRANSPOSE -> ConvRules::transposed;
            default -> null;
        };
    }

    private static boolean conv(LoweringContext op) {
        ConvWeights weights = ConvWeights.of(op);
        Shape in = op.in(0).shape();
        Shape out = op.out().shape();
        Axis[] axes = weights == null ? null : WindowAxes.axes(op, in, out, WindowAxes.kernel(weights.shape()));
        if (weights == null || axes == null || out.elements() == 0 || in.elements() == 0) {
            return false;
        }
        PadRoot padding = PadRoot.ofZeros(op.in(0));
        ValueState images = padding == null ? op.in(0) : padding.source();
        if (padding != null) {
            axes = padding.overSource(axes);
        }
        int groups = Math.toIntExact(op.attributes().integer("group", 1));
        int batch = Math.toIntExact(in.dim(0));
        int channels = Math.toIntExact(in.dim(1));
        int outChannels = Math.toIntExact(out.dim(1));
        if (weights instanceof ConvWeights.Fixed fixed && SignalRoot.fits(images.shape(), axes[2])) {
            if (!SpectrumRule.lower(op, images, axes[2], fixed)) {
                signal(op, images, axes[2], fixed);
            }
            return true;
        }
        var ofChannels = new ConvShape(batch, channels, outChannels, groups, axes[0], axes[1], axes[2]);
        if (PlaneRoot.pays(op, images, ofChannels)) {
            op.lowering().defer(op.out(), PlaneRoot.of(op.lowering(), images, ofChannels, weights));
        } else if (axes[2].stride() > FARTHEST || hasFarTaps(axes[2]) || hasManyTaps(axes)) {
            return false;
        } else if (groups == channels && outChannels == channels && groups > 1 && !WindowAxes.isWide(axes[2])) {
            var shape = new WindowShape(batch, channels, axes[0], axes[1], axes[2]);
            op.lowering().defer(op.out(), new DepthwiseRoot(op.lowering(), images, shape, weights));
        } else {
            op.lowering().defer(op.out(), new ConvRoot(op.lowering(), images, ofChannels, weights, isOfOneSize(op)));
        }
        return true;
    }

    private static void signal(LoweringContext op, ValueState images, Axis axis, ConvWeights.Fixed weights) {
        PartitionCompiler lowering = op.lowering();
        long channels = op.out().shape().dim(1);
        var root = new SignalRoot(lowering, images, axis, images.shape().dim(0), channels, weights.unbiased());
        StoredFloats bias = weights.bias();
        if (bias == null) {
            lowering.defer(op.out(), root);
            return;
        }
        ValueState product = lowering.part(op.out(), ElementType.FLOAT, op.out().shape());
        lowering.defer(product, root);
        ValueState added = lowering.constant(bias.widened().reshaped(Shape.of(channels, 1)));
        lowering.defer(op.out(), List.of(product, added), v -> v.getFirst().plus(v.getLast()));
    }

    private static boolean hasManyTaps(Axis... window) {
        double taps = 1;
        for (Axis axis : window) {
            taps *= axis.taps();
        }
        return taps > MOST_TAPS;
    }

    private static boolean hasFarTaps(Axis width) {
        return width.taps() > 1 && width.dilation() > FARTHEST;
    }

    /** Whether images have a size that does not depend on the shapes of the inputs. */
    private static boolean isOfOneSize(LoweringContext op) {
        SymbolicShape images = op.node().requireInput(0).shape();
        return images != null && images.dims().stream().skip(2).allMatch(Dim::isKnown);
    }

    private static boolean transposed(LoweringContext op) {
        ConvWeights weights = ConvWeights.of(op);
        Shape in = op.in(0).shape();
        Shape out = op.out().shape();
        Axis[] axes = weights == null ? null : WindowAxes.transposed(op, in, out, WindowAxes.kernel(weights.shape()));
        if (weights == null || axes == null || out.elements() == 0 || in.elements() == 0 || hasFarTaps(axes[2])) {
            return false;
        }
        double phases = (double) axes[0].stride() * axes[1].stride() * axes[2].stride();
        if (phases > MOST_PHASES || hasManyTaps(axes)) {
            return false;
        }
        var forward = new ConvShape(
                Math.toIntExact(in.dim(0)),
                Math.toIntExact(out.dim(1)),
                Math.toIntExact(in.dim(1)),
                Math.toIntExact(op.attributes().integer("group", 1)),
                axes[0],
                axes[1],
                axes[2]);
        PartitionCompiler lowering = op.lowering();
        boolean planes = PlaneRoot.paysTransposed(op, op.in(0), forward);
        if (SubpixelConvolutionRoot.pays(forward, planes, op.environment().block())) {
            lowering.defer(
                    op.out(),
                    new SubpixelConvolutionRoot(lowering, op.in(0), new Phases(forward), weights, isOfOneSize(op)));
        } else if (planes) {
            lowering.defer(op.out(), PlaneRoot.transposed(lowering, op.in(0), forward, weights));
        } else {
            lowering.defer(op.out(), new TransposedConvRoot(lowering, op.in(0), forward, weights));
        }
        return true;
    }
}
