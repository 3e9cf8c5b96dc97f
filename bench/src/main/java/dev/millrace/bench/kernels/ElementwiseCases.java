package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Function;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/** Functions of one operand. */
final class ElementwiseCases {
    private static final int ROWS = 128;
    private static final int COLUMNS = 3072;
    private static final int BYTES_PER_ELEMENT = 8;

    private ElementwiseCases() {}

    static List<KernelCase> all() {
        Expr x = Expr.input(0);
        return List.of(
                function("Exp", x.apply(Function.EXP)),
                function("Erf", x.apply(Function.ERF)),
                function("Gelu", Expr.gelu(x)));
    }

    private static KernelCase function(String op, Expr expression) {
        Work work = Work.bytes((double) ROWS * COLUMNS * BYTES_PER_ELEMENT);
        return KernelCase.of("elementwise", op + " " + ROWS + "x" + COLUMNS, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floatsBetween(-3, 3, ROWS, COLUMNS);
            Tensor out = operands.zeros(ElementType.FLOAT, ROWS, COLUMNS);
            Elementwise kernel = kernels.elementwise(expression);
            List<MemorySegment> inputs = List.of(in.segment());
            return new Sides(
                    () -> kernel.run(inputs, out.segment(), out.elements(), parallel), Map.of("y", out), () -> {
                        var model = new PeerModel();
                        model.output("y", model.node(op, model.input("x", in)));
                        return model;
                    });
        });
    }
}
