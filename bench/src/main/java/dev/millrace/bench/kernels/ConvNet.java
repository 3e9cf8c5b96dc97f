package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.Conv;
import dev.millrace.kernels.conv.ConvMethod;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.Reorder;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.kernels.pool.DepthwiseConv;
import dev.millrace.kernels.pool.Pool;
import dev.millrace.kernels.pool.PoolingOperation;
import dev.millrace.kernels.pool.WindowShape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small net of convolutions with ReLU, built for both sides at once. Each layer has weights of its own, as in a
 * model: a layer that finds its weights in the cache tells little.
 */
final class ConvNet {
    private static final Expr RELU = Expr.input(0).apply(FloatFunction.RELU);

    /**
     * One convolution of square images.
     *
     * @param depthwise whether each channel is convolved separately
     */
    record Layer(int channels, int outChannels, int size, int kernel, int stride, boolean depthwise) {
        static Layer of(int channels, int outChannels, int size, int kernel, int stride) {
            return new Layer(channels, outChannels, size, kernel, stride, false);
        }

        static Layer depthwise(int channels, int size, int kernel, int stride) {
            return new Layer(channels, channels, size, kernel, stride, true);
        }

        int pad() {
            return kernel / 2;
        }

        int outSize() {
            return axis().out();
        }

        Axis axis() {
            return Axis.of(size, kernel, stride, 1, pad(), pad());
        }

        int channelsPerGroup() {
            return depthwise ? 1 : channels;
        }

        double flops() {
            return 2.0 * outSize() * outSize() * outChannels * channelsPerGroup() * kernel * kernel;
        }
    }

    private final Kernels kernels;
    private final Arena arena;
    private final Parallel parallel;
    private final boolean strict;
    private final Operands operands;
    private final int lanes;
    private final List<Runnable> ours = new ArrayList<>();
    private final ReferenceModel reference = new ReferenceModel();
    private final Map<String, Tensor> answers = new LinkedHashMap<>();
    private final List<MemorySegment> free = new ArrayList<>();
    private MemorySegment scratch = MemorySegment.NULL;

    /** @param strict whether sums are as exact as fp32 allows */
    ConvNet(Kernels kernels, Arena arena, Parallel parallel, boolean strict) {
        this.strict = strict;
        this.kernels = kernels;
        this.arena = arena;
        this.parallel = parallel;
        operands = new Operands(arena);
        lanes = kernels.set().target().lanes();
    }

    /** An image between layers: this engine's in blocks of channels (NCHWc) or plain (NCHW), and the reference's. */
    record Image(MemorySegment ours, boolean plain, Value reference, int channels, int size) {
        long pixels() {
            return (long) size * size;
        }
    }

    Image input(int channels, int size) {
        Tensor tensor = operands.floats(1, channels, size, size);
        return new Image(tensor.segment(), true, reference.input("x", tensor), channels, size);
    }

    private MemorySegment blocked(int channels, int size) {
        long bytes = 4 * BlockedImages.elements(lanes, channels, (long) size * size);
        for (MemorySegment segment : free) {
            if (segment.byteSize() == bytes) {
                free.remove(segment);
                return segment;
            }
        }
        return arena.allocate(bytes, 64);
    }

    /** Releases an image's memory for reuse: memory that was just used is in the cache, as it is in a model. */
    void release(Image image) {
        if (!image.plain()) {
            free.add(image.ours());
        }
    }

    Image toBlocks(Image image) {
        Reorder reorder = new Reorder(kernels.set(), 1, image.channels(), image.pixels());
        MemorySegment out = blocked(image.channels(), image.size());
        ours.add(() -> reorder.toBlocked(image.ours(), out, parallel));
        return new Image(out, false, image.reference(), image.channels(), image.size());
    }

    Image layer(Image in, Layer layer) {
        int kernel = layer.kernel();
        float most = (float) Math.sqrt(6.0 / (layer.channelsPerGroup() * kernel * kernel));
        Tensor weights =
                operands.floatsBetween(-most, most, layer.outChannels(), layer.channelsPerGroup(), kernel, kernel);
        Tensor bias = operands.floats(layer.outChannels());
        MemorySegment out = blocked(layer.outChannels(), layer.outSize());
        ours.add(layer.depthwise() ? depthwise(in, layer, weights, bias, out) : dense(in, layer, weights, bias, out));
        int pad = layer.pad();
        Attributes attributes = Attributes.NONE
                .with("group", Attribute.of(layer.depthwise() ? (long) layer.channels() : 1L))
                .with("strides", Attribute.of(new long[] {layer.stride(), layer.stride()}))
                .with("pads", Attribute.of(new long[] {pad, pad, pad, pad}));
        String name = "w" + ours.size();
        Value sum = reference.node(
                "Conv",
                attributes,
                in.reference(),
                reference.constant(name, weights),
                reference.constant("b" + name, bias));
        return new Image(out, false, reference.node(OpId.RELU.name(), sum), layer.outChannels(), layer.outSize());
    }

    private Runnable dense(Image in, Layer layer, Tensor weights, Tensor bias, MemorySegment out) {
        ConvShape shape = ConvShape.flat(1, layer.channels(), layer.outChannels(), layer.axis(), layer.axis());
        ConvMethod method =
                ConvMethod.best(shape, in.plain(), strict, kernels.set().target());
        Conv conv = new Conv(kernels.set(), shape, in.plain(), RELU, method, parallel.width());
        MemorySegment packed = arena.allocate(conv.packedBytes(), 64);
        conv.pack(weights.segment(), bias.segment(), packed);
        MemorySegment scratch = scratch(conv.scratchBytes(parallel.width()));
        return () -> conv.run(in.ours(), packed, null, out, scratch, parallel);
    }

    /** Returns scratch memory, which all layers of at most that size share. */
    private MemorySegment scratch(long bytes) {
        if (scratch.byteSize() < bytes) {
            scratch = arena.allocate(bytes, 64);
        }
        return scratch;
    }

    private Runnable depthwise(Image in, Layer layer, Tensor weights, Tensor bias, MemorySegment out) {
        WindowShape shape = WindowShape.flat(1, layer.channels(), layer.axis(), layer.axis());
        DepthwiseConv conv = new DepthwiseConv(kernels.set(), shape, RELU);
        MemorySegment packed = arena.allocate(conv.packedBytes(), 64);
        conv.pack(weights.segment(), bias.segment(), packed);
        return () -> conv.run(in.ours(), packed, null, out, parallel);
    }

    /**
     * Adds max pooling.
     *
     * @param behind the padding behind rows and behind columns: ONNX Runtime computes equal nodes only once
     */
    Image maxPool(Image in, int kernel, int stride, long... behind) {
        int pad = kernel / 2;
        Axis height = Axis.of(in.size(), kernel, stride, 1, pad, (int) behind[0]);
        Axis width = Axis.of(in.size(), kernel, stride, 1, pad, (int) behind[1]);
        Attributes attributes = Attributes.NONE
                .with("kernel_shape", Attribute.of(new long[] {kernel, kernel}))
                .with("strides", Attribute.of(new long[] {stride, stride}))
                .with("pads", Attribute.of(new long[] {pad, pad, behind[0], behind[1]}));
        return pool(
                in,
                WindowShape.flat(1, in.channels(), height, width),
                PoolingOperation.max(),
                reference.node("MaxPool", attributes, in.reference()));
    }

    /** Adds average pooling by 3×3 windows. */
    Image averagePool(Image in) {
        Axis axis = Axis.of(in.size(), 3, 1, 1, 1, 1);
        Attributes attributes = Attributes.NONE
                .with("kernel_shape", Attribute.of(new long[] {3, 3}))
                .with("pads", Attribute.of(new long[] {1, 1, 1, 1}));
        return pool(
                in,
                WindowShape.flat(1, in.channels(), axis, axis),
                PoolingOperation.average(),
                reference.node("AveragePool", attributes, in.reference()));
    }

    Image globalMax(Image in) {
        Axis axis = Axis.of(in.size(), in.size(), 1, 1, 0, 0);
        WindowShape shape = WindowShape.flat(1, in.channels(), axis, axis);
        return pool(in, shape, PoolingOperation.max(), reference.node("GlobalMaxPool", in.reference()));
    }

    Image globalAverage(Image in) {
        Axis axis = Axis.of(in.size(), in.size(), 1, 1, 0, 0);
        WindowShape shape = WindowShape.flat(1, in.channels(), axis, axis);
        return pool(in, shape, PoolingOperation.average(), reference.node("GlobalAveragePool", in.reference()));
    }

    private Image pool(Image in, WindowShape shape, PoolingOperation pooling, Value ofReference) {
        Pool pool = new Pool(kernels.set(), shape, pooling);
        int size = shape.width().out();
        MemorySegment out = blocked(in.channels(), size);
        ours.add(() -> pool.run(in.ours(), out, parallel));
        return new Image(out, false, ofReference, in.channels(), size);
    }

    void output(Image image) {
        Tensor answer = operands.zeros(ElementType.FLOAT, 1, image.channels(), image.size(), image.size());
        Reorder reorder = new Reorder(kernels.set(), 1, image.channels(), image.pixels());
        ours.add(() -> reorder.toPlain(image.ours(), answer.segment(), parallel));
        String name = "y" + answers.size();
        answers.put(name, answer);
        reference.output(name, image.reference());
    }

    Sides sides() {
        return new Sides(() -> ours.forEach(Runnable::run), answers, () -> reference);
    }
}
