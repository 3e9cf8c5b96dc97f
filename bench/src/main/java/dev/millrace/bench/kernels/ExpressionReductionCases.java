package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.reduce.ExpressionReduction;
import dev.millrace.kernels.reduce.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Differences reduced along rows, which are several operators for ONNX Runtime. */
final class ExpressionReductionCases {
    private static final int COLUMNS = 768;
    /** Two inputs are read. */
    private static final int BYTES_PER_ELEMENT = 8;

    private static final double RELATIVE = 1e-5;

    private ExpressionReductionCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int rows : new int[] {13, 512, 5000}) {
            cases.add(difference("mean((x-y)^2)", ReduceOp.MEAN, rows));
            cases.add(difference("sum((x-y)^2)", ReduceOp.SUM_SQUARE, rows));
        }
        return cases;
    }

    private static KernelCase difference(String name, ReduceOp op, int rows) {
        double elements = (double) rows * COLUMNS;
        String shape = name + " " + rows + "x" + COLUMNS;
        Expr difference = Expr.input(0).minus(Expr.input(1));
        Expr reduced = op == ReduceOp.MEAN ? difference.times(difference) : difference;
        return KernelCase.of(
                        "reduce.expression",
                        shape,
                        LayerWork.bytes(BYTES_PER_ELEMENT * elements),
                        (kernels, arena, parallel) -> {
                            var operands = new Operands(arena);
                            Tensor x = operands.floats(rows, COLUMNS);
                            Tensor y = operands.floats(rows, COLUMNS);
                            Tensor out = operands.zeros(ElementType.FLOAT, rows);
                            var reduction =
                                    new ExpressionReduction(kernels.set(), reduced, op, DataType.F32, rows, COLUMNS);
                            MemorySegment scratch = arena.allocate(Math.max(1, reduction.scratchBytes()), 64);
                            List<MemorySegment> inputs = List.of(x.segment(), y.segment());
                            return new Sides(
                                    () -> reduction.run(inputs, out.segment(), scratch, parallel),
                                    Map.of("z", out),
                                    () -> model(op, x, y));
                        })
                .withTolerance(RELATIVE * Math.sqrt(elements));
    }

    private static ReferenceModel model(ReduceOp op, Tensor x, Tensor y) {
        var model = new ReferenceModel();
        Attributes keep = Attributes.of("keepdims", Attribute.of(0L));
        Value axes = model.constant("axes", Tensor.copyOf(new long[] {1}, 1));
        Value difference = model.node("Sub", model.input("x", x), model.input("y", y));
        Value reduced = op == ReduceOp.MEAN
                ? model.node("ReduceMean", keep, model.node("Mul", difference, difference), axes)
                : model.node("ReduceSumSquare", keep, difference, axes);
        model.output("z", reduced);
        return model;
    }
}
