package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.bytes.QuantisedConv;
import dev.millrace.kernels.conv.bytes.QuantisedConvolution;
import dev.millrace.kernels.conv.bytes.QuantisedDepthwiseConv;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedResult;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Layers of nets for images in bytes, the channels of a pixel side by side, with zero points and a requantised result.
 * Weights are from -64 to 63, for which ONNX Runtime is exact too.
 */
final class ByteConvCases {
    private static final int ZERO = 128;
    private static final float SCALE = 0.01f;

    private ByteConvCases() {}

    static List<KernelCase> all() {
        return List.of(
                of(64, 64, 56, 3, 1, false),
                of(128, 128, 28, 3, 1, false),
                of(256, 256, 14, 3, 1, false),
                of(512, 512, 7, 3, 1, false),
                of(64, 256, 56, 1, 1, false),
                of(512, 128, 28, 1, 1, false),
                of(2048, 512, 7, 1, 1, false),
                of(3, 64, 224, 7, 2, false),
                of(24, 144, 56, 1, 1, false),
                of(144, 144, 56, 3, 1, true),
                of(96, 96, 112, 3, 2, true),
                of(240, 240, 14, 5, 1, true));
    }

    private static KernelCase of(int channels, int outChannels, int size, int kernel, int stride, boolean depthwise) {
        Axis axis = Axis.of(size, kernel, stride, 1, kernel / 2, kernel / 2);
        ConvShape dense = ConvShape.flat(1, channels, outChannels, axis, axis);
        ConvShape shape = depthwise ? dense.inGroups(channels) : dense;
        String text = kernel + "x" + kernel + (stride == 1 ? "" : "s" + stride) + " " + channels + ">" + outChannels
                + " " + size + "^2";
        LayerWork work = LayerWork.int8(2.0 * shape.outPixels() * shape.weightElements());
        KernelCase test = KernelCase.of(
                depthwise ? "conv.u8s8.depthwise" : "conv.u8s8", text, work, (kernels, arena, parallel) -> {
                    var operands = new Operands(arena);
                    Tensor x = operands.bytes(ElementType.UINT8, 0, 255, 1, size, size, channels);
                    Tensor w = operands.bytes(
                            ElementType.INT8, -64, 63, outChannels, shape.groupChannels(), kernel, kernel);
                    Tensor y = operands.zeros(ElementType.UINT8, 1, axis.out(), axis.out(), outChannels);
                    Tensor zero = operands.bytes(ElementType.UINT8, ZERO, ZERO);
                    Tensor scale = operands.floatsBetween(SCALE, SCALE);
                    Tensor combined = operands.floatsBetween(SCALE * SCALE, SCALE * SCALE);
                    QuantisedMatrix in = QuantisedMatrix.of(x.segment(), false, channels)
                            .withZeroPoints(zero.segment().asSlice(0, 1));
                    long columns = w.elements() / outChannels;
                    QuantisedMatrix weights = QuantisedMatrix.of(w.segment(), true, columns);
                    QuantisedResult out = QuantisedResult.bytes(
                                    y.segment(),
                                    false,
                                    outChannels,
                                    combined.segment().asSlice(0, 4),
                                    ZERO)
                            .withSmallScales();
                    QuantisedConvolution conv = depthwise
                            ? new QuantisedDepthwiseConv(kernels.set(), shape)
                            : new QuantisedConv(kernels.set(), shape);
                    MemorySegment packed = arena.allocate(conv.packedBytes(), 64);
                    conv.pack(weights, packed);
                    MemorySegment scratch = arena.allocate(conv.scratchBytes(true, parallel.width()), 64);
                    Runnable ours = () -> conv.run(in, packed, out, scratch, parallel);
                    return Sides.of(ours, y, model -> reference(model, shape, x, w, zero, scale, operands));
                });
        return test.withTolerance(1);
    }

    private static Value reference(
            ReferenceModel model, ConvShape shape, Tensor x, Tensor w, Tensor zero, Tensor scale, Operands operands) {
        long pad = shape.width().before();
        long stride = shape.width().stride();
        NodeSpec node = NodeSpec.of(
                        new OpId(OpId.MICROSOFT, "QLinearConv"),
                        1,
                        model.input("x", x),
                        model.constant("xs", scale),
                        model.constant("xz", zero),
                        model.constant("w", w),
                        model.constant("ws", scale),
                        model.constant("wz", operands.bytes(ElementType.INT8, 0, 0)),
                        model.constant("ys", operands.floatsBetween(1, 1)),
                        model.constant("yz", zero))
                .with(Attributes.NONE
                        .with("channels_last", Attribute.of(1L))
                        .with("group", Attribute.of((long) shape.groups()))
                        .with("strides", Attribute.of(new long[] {stride, stride}))
                        .with("pads", Attribute.of(new long[] {pad, pad, pad, pad})));
        return model.node(node);
    }
}
