package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Functions of one operand. */
final class ElementwiseCases {
    private static final int[] ROWS = {4, 128, 1300};
    private static final int COLUMNS = 3072;
    private static final int BYTES_PER_ELEMENT = 8;

    private ElementwiseCases() {}

    static List<KernelCase> all() {
        Expr x = Expr.input(0);
        var cases = new ArrayList<KernelCase>();
        for (int rows : ROWS) {
            cases.add(function("Exp", "Exp", x.apply(FloatFunction.EXP), rows));
            cases.add(function("Erf", "Erf", x.apply(FloatFunction.ERF), rows));
            cases.add(function("Erf", "Erf as a quotient", x.apply(FloatFunction.ERF_AS_RATIO), rows));
            cases.add(function("Gelu", "Gelu", Expr.gelu(x), rows));
            cases.add(function("Tanh", "Tanh", x.apply(FloatFunction.TANH), rows));
            cases.add(function("Sigmoid", "Sigmoid", x.apply(FloatFunction.SIGMOID), rows));
            cases.add(function("Sin", "Sin", x.apply(FloatFunction.SIN), rows));
            cases.add(function("Cos", "Cos", x.apply(FloatFunction.COS), rows));
        }
        return cases;
    }

    private static KernelCase function(String op, String name, Expr expression, int rows) {
        LayerWork work = LayerWork.bytes((double) rows * COLUMNS * BYTES_PER_ELEMENT);
        return KernelCase.of("elementwise", name + " " + rows + "x" + COLUMNS, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floatsBetween(-3, 3, rows, COLUMNS);
            Tensor out = operands.zeros(ElementType.FLOAT, rows, COLUMNS);
            Elementwise kernel = kernels.elementwise(expression);
            List<MemorySegment> inputs = List.of(in.segment());
            return new Sides(
                    () -> kernel.run(inputs, out.segment(), out.elements(), parallel), Map.of("y", out), () -> {
                        var model = new ReferenceModel();
                        model.output("y", model.node(op, model.input("x", in)));
                        return model;
                    });
        });
    }
}
