package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.bytes.QuantisedConv;
import dev.millrace.kernels.conv.bytes.QuantisedConvolution;
import dev.millrace.kernels.conv.bytes.QuantisedDepthwiseConv;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.ByteWeights;
import dev.millrace.providers.simd.rule.common.WindowAxes;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Convolutions of images of bytes, whose channels lie side by side. */
final class ConvSums extends ByteSums {
    private final ConvShape shape;
    private final QuantisedConvolution conv;

    private ConvSums(
            LoweringContext op, ValueState in, @Nullable ValueState zero, ByteWeights weights, ConvShape shape) {
        super(op.lowering(), in, zero, weights);
        this.shape = shape;
        boolean depthwise = shape.groups() > 1 && QuantisedDepthwiseConv.fits(shape);
        conv = op.environment()
                .driver(
                        shape,
                        () -> depthwise
                                ? new QuantisedDepthwiseConv(op.environment().kernels(), shape)
                                : new QuantisedConv(op.environment().kernels(), shape));
    }

    /** The convolution of a node; null where kernels know none of that shape. */
    static @Nullable ConvSums of(LoweringContext op, ValueState in, @Nullable ValueState zero, ByteWeights weights) {
        Shape from = in.shape();
        Shape to = op.out().shape();
        Axis[] axes = from.rank() < 3
                ? null
                : WindowAxes.axes(
                        op, from, to, WindowAxes.kernel(weights.bytes().shape()));
        if (axes == null || from.elements() == 0 || to.elements() == 0 || zero != null && zero.elements() != 1) {
            return null;
        }
        var shape = new ConvShape(
                Math.toIntExact(from.dim(0)),
                Math.toIntExact(from.dim(1)),
                Math.toIntExact(to.dim(1)),
                Math.toIntExact(op.attributes().integer("group", 1)),
                axes[0],
                axes[1],
                axes[2]);
        return new ConvSums(op, in, zero, weights, shape);
    }

    @Override
    long columns() {
        return shape.outChannels();
    }

    @Override
    EpilogueOperand kind(ValueState operand) {
        Shape shape = operand.shape();
        int spatial = in().shape().rank() - 2;
        boolean isColumn =
                operand.elements() == columns() && shape.rank() > spatial && shape.dimAt(-1 - spatial) == columns();
        return operand.elements() == 1
                ? EpilogueOperand.SINGLE
                : isColumn ? EpilogueOperand.COLUMN : EpilogueOperand.ELEMENT;
    }

    @Override
    View rows() {
        View view = lowering().view(in());
        if (view.channelsLast().isDense()) {
            return view;
        }
        View to = allocate(view.type(), view.shape());
        lowering().copy(view, to, in().name());
        lowering().provide(in(), to);
        return to;
    }

    @Override
    View packedWeights() {
        long taps = weights().bytes().elements() / shape.outChannels();
        return weights().packed(Layout.of(conv.packedLayout(), conv.packedBytes()), taps, conv::pack);
    }

    /** Images whose channels lie side by side. */
    @Override
    View allocate(ElementType type, Shape wanted) {
        int rank = wanted.rank();
        long[] dims = new long[rank];
        int[] order = new int[rank];
        dims[0] = wanted.dim(0);
        dims[rank - 1] = wanted.dim(1);
        order[1] = rank - 1;
        for (int i = 2; i < rank; i++) {
            dims[i - 1] = wanted.dim(i);
            order[i] = i - 1;
        }
        return lowering().allocate(type, Shape.of(dims)).transposed(order);
    }

    @Override
    String description() {
        return "conv.s8 " + shape.channels() + "->" + shape.outChannels() + " taps " + shape.taps();
    }

    @Override
    List<Activation> activations() {
        return conv.activations();
    }

    @Override
    long work() {
        return shape.batch() * shape.outPixels() * shape.weightElements();
    }

    @Override
    long stride() {
        return shape.channels();
    }

    @Override
    long scratchBytes(boolean plain, int width) {
        return conv.scratchBytes(plain, width);
    }

    @Override
    void run(
            QuantisedMatrix images,
            MemorySegment packed,
            QuantisedResult out,
            MemorySegment scratch,
            Parallel parallel) {
        conv.run(images, packed, out, scratch, parallel);
    }
}
