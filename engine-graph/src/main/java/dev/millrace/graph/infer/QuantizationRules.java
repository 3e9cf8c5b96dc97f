package dev.millrace.graph.infer;

import dev.millrace.graph.tensor.ElementType;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Between real numbers and small integers. */
final class QuantizationRules {
    private QuantizationRules() {}

    static void quantize(InferenceContext c) {
        ElementType named = named(c, "output_dtype");
        ElementType zeroPoint = c.has(2) ? c.element(2) : ElementType.UINT8;
        if (named != null && c.has(2) && zeroPoint != null && named != zeroPoint) {
            throw c.refuse("attribute 'output_dtype' says " + named + ", but the zero point is " + zeroPoint);
        }
        c.set(0, named == null ? zeroPoint : named, c.dims(0));
    }

    static void dequantize(InferenceContext c) {
        ElementType named = named(c, "output_dtype");
        c.set(0, named == null ? c.element(1) : named, c.dims(0));
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
