package dev.millrace.bench.agree;

import static dev.millrace.bench.agree.NodeMaker.put;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import java.util.Map;

/** Operators that move a window over images, or take other places of them. */
final class WindowMakers {
    private WindowMakers() {}

    static void putInto(Map<OpId, NodeMaker> makers) {
        put(makers, "Conv", (node, chance) -> conv(node, chance, node.type("T"), false));
        put(makers, "ConvTranspose", (node, chance) -> conv(node, chance, node.type("T"), true));
        put(makers, "ConvInteger", (node, chance) -> conv(node, chance, ElementType.UINT8, false));
        put(makers, "MaxPool AveragePool LpPool", WindowMakers::pool);
        put(
                makers,
                "GlobalAveragePool GlobalMaxPool GlobalLpPool",
                (node, chance) -> node.fed(chance.tensor(node.type("T"), chance.full(3, 5))));
        put(
                makers,
                "LRN",
                (node, chance) -> node.with("size", 2L * chance.between(0, 2) + 1)
                        .maybe("alpha", chance.real(0.1, 1))
                        .maybe("beta", chance.real(0.1, 1))
                        .maybe("bias", chance.real(0.5, 2))
                        .fed(chance.tensor(ElementType.FLOAT, chance.full(3, 4))));
        put(makers, "Resize", WindowMakers::resize);
        put(makers, "GridSample", WindowMakers::gridSample);
        put(makers, "Col2Im", (node, chance) -> {
            long[] image = chance.between(2, 4, 6);
            long[] block = chance.between(2, 1, 3);
            long blocks = (image[0] - block[0] + 1) * (image[1] - block[1] + 1);
            long rows = chance.some() * block[0] * block[1];
            node.fed(chance.tensor(ElementType.FLOAT, Shape.of(chance.some(), rows, blocks)))
                    .held(Chance.longs(image), Chance.longs(block));
        });
    }

    private static long[] spatial(Chance chance, int axes) {
        return chance.between(axes, 4, 9);
    }

    static Shape image(long batch, long channels, long... spatial) {
        long[] dims = new long[spatial.length + 2];
        dims[0] = batch;
        dims[1] = channels;
        System.arraycopy(spatial, 0, dims, 2, spatial.length);
        return Shape.of(dims);
    }

    private static void conv(OneNode node, Chance chance, ElementType type, boolean transposed) {
        int axes = chance.between(1, 3);
        long groups = chance.once(3) ? chance.between(1, 3) : 1;
        long in = groups * chance.between(1, 3);
        long out = groups * chance.between(1, 3);
        long[] kernel = chance.between(axes, 1, 3);
        node.with("group", groups);
        if (chance.often()) {
            node.list("strides", chance.between(axes, 1, 2));
        }
        if (chance.once(3)) {
            node.list("dilations", chance.between(axes, 1, 2));
        }
        if (chance.often()) {
            node.list("pads", pads(chance, kernel));
        } else if (!transposed) {
            node.with("auto_pad", chance.one("SAME_UPPER", "SAME_LOWER", "VALID"));
        }
        node.fed(chance.tensor(type, image(chance.some(), in, spatial(chance, axes))));
        Shape weights = transposed ? image(in, out / groups, kernel) : image(out, in / groups, kernel);
        node.fedOrHeld(chance.tensor(type, weights));
        if (type.isFloating() && chance.once(2)) {
            node.fedOrHeld(chance.tensor(type, Shape.of(out)));
        }
    }

    /** Less than the kernel, at both ends. */
    private static long[] pads(Chance chance, long... kernel) {
        long[] pads = new long[2 * kernel.length];
        for (int i = 0; i < pads.length; i++) {
            pads[i] = chance.between(0, (int) kernel[i % kernel.length] - 1);
        }
        return pads;
    }

    private static void pool(OneNode node, Chance chance) {
        int axes = chance.between(1, 3);
        long[] kernel = chance.between(axes, 1, 3);
        node.list("kernel_shape", kernel)
                .maybe("count_include_pad", chance.between(0, 1))
                .maybe("ceil_mode", chance.between(0, 1))
                .maybe("p", chance.between(1, 3));
        if (chance.often()) {
            node.list(
                    "strides",
                    Arrays.stream(kernel).map(k -> chance.between(1, (int) k)).toArray());
        }
        if (chance.often()) {
            node.list("pads", pads(chance, kernel));
        }
        Tensor x = chance.tensor(node.type("T"), image(chance.some(), chance.some(), spatial(chance, axes)));
        node.fed(x);
    }

    private static void resize(OneNode node, Chance chance) {
        int axes = chance.between(1, 2);
        Shape shape = image(chance.some(), chance.some(), chance.between(axes, 4, 40));
        String mode = chance.one("nearest", "linear", "cubic");
        node.with("mode", mode.equals("cubic") && (axes < 2 || !node.has("cubic_coeff_a")) ? "linear" : mode);
        if (node.has("coordinate_transformation_mode")) {
            node.with("coordinate_transformation_mode", chance.one("half_pixel", "asymmetric", "pytorch_half_pixel"))
                    .with("nearest_mode", chance.one("round_prefer_floor", "round_prefer_ceil", "floor", "ceil"));
        }
        node.fed(chance.tensor(ElementType.FLOAT, shape));
        long[] sizes = shape.toArray();
        float[] scales = new float[sizes.length];
        Arrays.fill(scales, 1);
        for (int i = 2; i < sizes.length; i++) {
            // floats round most of these, and a place may be an element only where they do
            scales[i] = chance.one(0.3f, 0.5f, 0.6f, 0.7f, 0.9f, 1f, 1.1f, 1.3f, 1.5f, 1.6f, 2f, 2.6f, 3f);
            // where scales change no extent, ONNX Runtime copies
            scales[i] = sizes[i] == (long) (sizes[i] * scales[i]) ? 1 : scales[i];
            sizes[i] = chance.between(1, 12);
        }
        if (node.opset() < 11) {
            node.held(Tensor.copyOf(scales, scales.length));
        } else if (chance.once(2)) {
            node.none().held(Tensor.copyOf(scales, scales.length));
        } else {
            node.none().none().held(Chance.longs(sizes));
        }
    }

    private static void gridSample(OneNode node, Chance chance) {
        long batch = chance.some();
        boolean renamed = node.opset() >= 20;
        node.with("mode", chance.one("nearest", renamed ? "linear" : "bilinear", renamed ? "cubic" : "bicubic"))
                .with("padding_mode", chance.one("zeros", "border", "reflection"))
                .maybe("align_corners", chance.between(0, 1))
                .fed(chance.tensor(ElementType.FLOAT, image(batch, chance.some(), spatial(chance, 2))))
                .fed(chance.reals(ElementType.FLOAT, Shape.of(batch, chance.some(), chance.some(), 2), -1.2, 1.2));
    }
}
