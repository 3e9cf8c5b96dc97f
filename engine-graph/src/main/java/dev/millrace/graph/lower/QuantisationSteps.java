package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/** Steps between quantised and real numbers, written for a composer. */
final class QuantisationSteps {
    private QuantisationSteps() {}

    /** Input {@code input} as real numbers; its scale and zero point are the next two inputs. */
    static Value real(Composer c, int input) {
        return c.op(OpName.DEQUANTIZE_LINEAR, c.input(input), c.input(input + 1), c.find(input + 2));
    }

    /** Numbers of type {@code type} for real ones; the scale is input {@code scale}, the zero point the next. */
    static Value quantised(Composer c, Value real, int scale, ElementType type) {
        Value zero = c.find(scale + 1);
        NodeSpec spec = zero == null
                ? c.onnx(OpName.QUANTIZE_LINEAR, real, c.input(scale)).with("output_dtype", Attribute.of(type.code()))
                : c.onnx(OpName.QUANTIZE_LINEAR, real, c.input(scale), zero);
        return c.add(spec);
    }

    /** The product of quantised matrices, with scales of both and a bias of real numbers. */
    static Value product(
            Composer c,
            ElementType real,
            Value a,
            Value b,
            Value scaleOfA,
            Value scaleOfB,
            @Nullable Value zeroOfA,
            @Nullable Value zeroOfB,
            @Nullable Value bias) {
        Value sums = c.cast(c.op(OpName.MATMUL_INTEGER, a, b, zeroOfA, zeroOfB), real);
        Value product = c.op(OpName.MUL, sums, c.op(OpName.MUL, scaleOfA, scaleOfB));
        return bias == null ? product : c.op(OpName.ADD, product, bias);
    }
}
