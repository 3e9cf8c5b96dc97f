package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.quantise.Quantisation;
import dev.millrace.kernels.quantise.QuantisedType;
import dev.millrace.kernels.quantise.Scales;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Floats to bytes and back. */
final class QuantisationCases {
    private static final int ROWS = 128;
    private static final int COLUMNS = 3072;
    private static final long ELEMENTS = (long) ROWS * COLUMNS;
    private static final String SHAPE = ROWS + "x" + COLUMNS;
    private static final int OPSET = 21;
    private static final int ZERO = 128;

    private QuantisationCases() {}

    static List<KernelCase> all() {
        return List.of(linear(false), linear(true), dynamic());
    }

    private static Tensor scale(Operands operands) {
        return operands.floatsBetween(0.02f, 0.02f);
    }

    private static Tensor zero(Operands operands) {
        Tensor zero = operands.zeros(ElementType.INT32, 1);
        zero.segment().set(ValueLayout.JAVA_INT, 0, ZERO);
        return zero;
    }

    /** @param back from bytes to floats */
    private static KernelCase linear(boolean back) {
        String op = back ? "DequantizeLinear" : "QuantizeLinear";
        return KernelCase.of(
                "quantise", op + " " + SHAPE, LayerWork.bytes(5.0 * ELEMENTS), (kernels, arena, parallel) -> {
                    var operands = new Operands(arena);
                    Tensor x = back
                            ? operands.bytes(ElementType.UINT8, 0, 255, ROWS, COLUMNS)
                            : operands.floatsBetween(-3, 3, ROWS, COLUMNS);
                    Tensor y = operands.zeros(back ? ElementType.FLOAT : ElementType.UINT8, ROWS, COLUMNS);
                    Tensor scale = scale(operands);
                    Tensor point = operands.bytes(ElementType.UINT8, ZERO, ZERO);
                    var quantisation = new Quantisation(kernels.set());
                    Scales scales = Scales.ofAll(
                            ELEMENTS, scale.segment(), zero(operands).segment());
                    Runnable ours = back
                            ? () -> quantisation.dequantise(
                                    x.segment(), QuantisedType.U8, scales, y.segment(), parallel)
                            : () -> quantisation.quantise(x.segment(), scales, QuantisedType.U8, y.segment(), parallel);
                    return Sides.of(
                            ours,
                            y,
                            model -> model.node(
                                    op,
                                    model.input("x", x),
                                    model.constant("scale", scale),
                                    model.constant("zero", point)));
                });
    }

    private static KernelCase dynamic() {
        String op = "DynamicQuantizeLinear";
        return KernelCase.of(
                "quantise", op + " " + SHAPE, LayerWork.bytes(9.0 * ELEMENTS), (kernels, arena, parallel) -> {
                    var operands = new Operands(arena);
                    Tensor x = operands.floatsBetween(-3, 3, ROWS, COLUMNS);
                    Tensor y = operands.zeros(ElementType.UINT8, ROWS, COLUMNS);
                    Tensor scale = scale(operands);
                    Tensor zero = zero(operands);
                    var quantisation = new Quantisation(kernels.set());
                    Runnable ours = () -> quantisation.quantiseDynamically(
                            x.segment(), ELEMENTS, y.segment(), scale.segment(), zero.segment(), parallel);
                    return Sides.of(ours, y, model -> {
                        NodeSpec node = NodeSpec.of(OpId.onnx(op), OPSET, model.input("x", x));
                        return model.nodes(node, "q", "scale", "point").getFirst();
                    });
                });
    }
}
