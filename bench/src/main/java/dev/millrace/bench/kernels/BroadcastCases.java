package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.BroadcastExpression;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Expr;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Operands that are repeated along some dimensions. */
final class BroadcastCases {
    private static final int[][] HIDDEN = {{16, 768}, {512, 768}, {5120, 768}};
    private static final int[][] IMAGES = {{1, 16, 28}, {1, 64, 80}, {8, 64, 96}};

    private BroadcastCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int[] shape : HIDDEN) {
            cases.add(addRows(shape[0], shape[1]));
        }
        for (int[] shape : IMAGES) {
            cases.add(scaleChannels(shape[0], shape[1], shape[2] * shape[2]));
        }
        return cases;
    }

    private static LayerWork work(double elements) {
        return LayerWork.bytes(8 * elements);
    }

    private static KernelCase addRows(int rows, int columns) {
        String shape = "Add " + rows + "x" + columns + " + " + columns;
        return KernelCase.of("broadcast", shape, work((double) rows * columns), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floats(rows, columns);
            Tensor added = operands.floats(columns);
            Tensor out = operands.zeros(ElementType.FLOAT, rows, columns);
            BroadcastExpression sum = new BroadcastExpression(
                    kernels.set(),
                    Expr.input(0).plus(Expr.input(1)),
                    DataType.F32,
                    List.of((long) rows, (long) columns),
                    List.of(List.of((long) columns, 1L), List.of(0L, 1L)));
            var inputs = List.of(in.segment(), added.segment());
            return new Sides(() -> sum.run(inputs, out.segment(), parallel), Map.of("y", out), () -> {
                var model = new ReferenceModel();
                model.output("y", model.node("Add", model.input("x", in), model.input("added", added)));
                return model;
            });
        });
    }

    private static KernelCase scaleChannels(int images, int channels, int pixels) {
        String shape = "Mul " + images + "x" + channels + "x" + pixels + " * " + channels + "x1";
        double elements = (double) images * channels * pixels;
        return KernelCase.of("broadcast", shape, work(elements), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floats(images, channels, pixels);
            Tensor factors = operands.floats(channels, 1);
            Tensor out = operands.zeros(ElementType.FLOAT, images, channels, pixels);
            BroadcastExpression product = new BroadcastExpression(
                    kernels.set(),
                    Expr.input(0).times(Expr.input(1)),
                    DataType.F32,
                    List.of((long) images, (long) channels, (long) pixels),
                    List.of(List.of((long) channels * pixels, (long) pixels, 1L), List.of(0L, 1L, 0L)));
            var inputs = List.of(in.segment(), factors.segment());
            return new Sides(() -> product.run(inputs, out.segment(), parallel), Map.of("y", out), () -> {
                var model = new ReferenceModel();
                model.output("y", model.node("Mul", model.input("x", in), model.input("factors", factors)));
                return model;
            });
        });
    }
}
