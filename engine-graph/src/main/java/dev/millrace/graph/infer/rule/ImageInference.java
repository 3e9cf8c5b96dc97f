package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;

/** Sampling, regions of interest, and images from files. */
final class ImageInference {
    private ImageInference() {}

    static void gridSample(InferenceContext c) {
        List<Dim> x = c.dims(0, 3, Integer.MAX_VALUE);
        List<Dim> grid = c.dims(1, 3, Integer.MAX_VALUE);
        if (x != null && grid != null && x.size() != grid.size()) {
            throw c.refuse("input of shape " + x + " and grid of shape " + grid + " have different ranks");
        }
        if (x == null || grid == null) {
            c.set(0, c.element(0), ConvolutionInference.unknownLike(x, grid));
            return;
        }
        c.expect(1, 0, x.getFirst());
        c.expect(1, -1, Dim.of(x.size() - 2));
        var dims = new ArrayList<>(x);
        for (int i = 2; i < dims.size(); i++) {
            dims.set(i, grid.get(i - 1));
        }
        c.set(0, c.element(0), dims);
    }

    static void affineGrid(InferenceContext c) {
        c.dims(0, 3);
        List<Dim> size = c.integers(1);
        if (size == null) {
            c.set(0, c.element(0), null);
            return;
        }
        if (size.size() != 4 && size.size() != 5) {
            throw c.refuse("size " + size + " has " + size.size() + " extents where 4 or 5 are expected");
        }
        OperandChecks.shape(c, 0, size.get(0), Dim.of(size.size() - 2), Dim.of(size.size() - 1));
        var dims = new ArrayList<Dim>();
        dims.add(size.get(0));
        dims.addAll(size.subList(2, size.size()));
        dims.add(Dim.of(size.size() - 2));
        c.set(0, c.element(0), dims);
    }

    static void imageDecoder(InferenceContext c) {
        c.dims(0, 1);
        boolean gray = c.attributes().text("pixel_format", "RGB").equals("Grayscale");
        c.set(0, ElementType.UINT8, List.of(Dim.UNKNOWN, Dim.UNKNOWN, Dim.of(gray ? 1 : 3)));
    }

    static void nonMaxSuppression(InferenceContext c) {
        c.dims(0, 3);
        List<Dim> scores = c.dims(1, 3);
        OperandChecks.shape(
                c,
                0,
                scores == null ? Dim.UNKNOWN : scores.get(0),
                scores == null ? Dim.UNKNOWN : scores.get(2),
                Dim.of(4));
        OperandChecks.one(c, 2, 3, 4);
        c.set(0, ElementType.INT64, List.of(Dim.UNKNOWN, Dim.of(3)));
    }

    static void maxRoiPool(InferenceContext c) {
        c.dims(0, 4);
        c.dims(1, 2);
        OperandChecks.shape(c, 1, c.dim(1, 0), Dim.of(5));
        long[] pooled = c.integers("pooled_shape", 2, -1);
        c.set(0, c.element(0), List.of(c.dim(1, 0), c.dim(0, 1), Dim.of(pooled[0]), Dim.of(pooled[1])));
    }

    static void roiAlign(InferenceContext c) {
        c.dims(0, 4);
        c.dims(1, 2);
        c.dims(2, 1);
        Dim regions = c.dims(1) == null ? c.dim(2, 0) : c.dim(1, 0);
        OperandChecks.shape(c, 1, regions, Dim.of(4));
        OperandChecks.shape(c, 2, regions);
        c.set(
                0,
                c.element(0),
                List.of(
                        regions,
                        c.dim(0, 1),
                        Dim.of(c.attributes().integer("output_height", 1)),
                        Dim.of(c.attributes().integer("output_width", 1))));
    }

    static void col2Im(InferenceContext c) {
        c.dims(0, 3);
        List<Dim> image = c.integers(1);
        List<Dim> block = c.integers(2);
        if (image == null) {
            c.set(0, c.element(0), block == null ? null : Dims.unknown(block.size() + 2));
            return;
        }
        if (block != null && block.size() != image.size()) {
            throw c.refuse("image shape " + image + " and block shape " + block + " have different lengths");
        }
        for (String attribute : List.of("strides", "dilations")) {
            for (long step : c.integers(attribute, image.size(), 1)) {
                if (step <= 0) {
                    throw c.refuse(
                            "attribute '" + attribute + "' has " + step + " where a positive number is expected");
                }
            }
        }
        c.integers("pads", 2 * image.size(), 0);
        Dim area = block == null ? Dim.UNKNOWN : Dims.product(block);
        Dim channels = Dims.divideExactly(c.dim(0, 1), area);
        if (channels == null && c.dim(0, 1).isKnown() && area.isKnown()) {
            throw c.refuse("the " + c.dim(0, 1) + " rows of input 0 are no multiple of the block " + block);
        }
        var dims = new ArrayList<Dim>();
        dims.add(c.dim(0, 0));
        dims.add(channels == null ? Dim.UNKNOWN : channels);
        dims.addAll(image);
        c.set(0, c.element(0), dims);
    }
}
