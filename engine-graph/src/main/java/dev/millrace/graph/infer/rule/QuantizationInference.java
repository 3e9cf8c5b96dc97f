package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Between real numbers and small integers. */
final class QuantizationInference {
    private QuantizationInference() {}

    static void quantize(InferenceContext c) {
        ElementType named = named(c, "output_dtype");
        ElementType zeroPoint = c.has(2) ? c.element(2) : ElementType.UINT8;
        if (named != null && c.has(2) && zeroPoint != null && named != zeroPoint) {
            throw c.refuse("attribute 'output_dtype' says " + named + ", but the zero point is " + zeroPoint);
        }
        scales(c);
        c.set(0, named == null ? zeroPoint : named, c.dims(0));
    }

    static void dequantize(InferenceContext c) {
        ElementType named = named(c, "output_dtype");
        scales(c);
        c.set(0, named == null ? c.element(1) : named, c.dims(0));
    }

    /**
     * One scale for all elements, one for each slice of an axis, or one for each block of an axis; and as many zero points.
     */
    private static void scales(InferenceContext c) {
        List<Dim> x = c.dims(0);
        List<Dim> scales = c.dims(1);
        if (scales == null) {
            return;
        }
        Dim count = Dims.product(scales);
        OperandChecks.count(c, 2, "a zero point for each scale", count);
        long block = c.attributes().integer("block_size", 0);
        if (x == null || block == 0 && (count.is(1) || !count.isKnown())) {
            return;
        }
        boolean first = c.opset() < 13 && c.node().op().domain().isEmpty();
        int axis = c.axis(first ? 0 : c.attributes().integer("axis", 1), x.size());
        if (block == 0 && scales.size() == 1) {
            OperandChecks.shape(c, 1, x.get(axis));
            return;
        }
        Dim blocks = block > 0 ? Dims.ceilDiv(x.get(axis), block) : scales.size() == x.size() ? scales.get(axis) : null;
        if (block < 0 || blocks == null || block == 0 && !areBlocks(x.get(axis), blocks)) {
            throw c.refuse("scales of shape " + scales + " do not fit axis " + axis + " of shape " + x);
        }
        OperandChecks.shape(c, 1, InferenceContext.with(x, axis, blocks));
    }

    /** Whether {@code extent} can be cut into so many blocks, all but the last of one size. */
    private static boolean areBlocks(Dim extent, Dim blocks) {
        if (extent instanceof Dim.Known whole && blocks instanceof Dim.Known count) {
            long size = count.extent() == 0 ? 0 : Math.ceilDiv(whole.extent(), count.extent());
            return size > 0 && Math.ceilDiv(whole.extent(), size) == count.extent();
        }
        return true;
    }

    /** The element type of an attribute; 0 and absent say nothing. */
    private static @Nullable ElementType named(InferenceContext c, String attribute) {
        long code = c.attributes().integer(attribute, 0);
        return code == 0 ? null : ElementType.requireCode(code);
    }

    static void dynamicQuantize(InferenceContext c) {
        c.set(0, ElementType.UINT8, c.dims(0));
        c.set(1, ElementType.FLOAT, List.of());
        c.set(2, ElementType.UINT8, List.of());
    }
}
