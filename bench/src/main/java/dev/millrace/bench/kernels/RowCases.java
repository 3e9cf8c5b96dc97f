package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.rows.ElementShape;
import dev.millrace.kernels.rows.Elements;
import dev.millrace.kernels.rows.IndexList;
import dev.millrace.kernels.rows.RowNumbers;
import dev.millrace.kernels.rows.Rows;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;

/** Rows and elements by indices of 64 bits. */
final class RowCases {
    private RowCases() {}

    static List<KernelCase> all() {
        return List.of(gather(30000, 128, 768), gather(30000, 4096, 64), gather(1000, 16, 8), elements(256, 4096));
    }

    /** Any numbers below a limit. */
    private static Tensor indices(Operands operands, int limit, long... dims) {
        Tensor indices = operands.zeros(ElementType.INT64, dims);
        for (long i = 0; i < indices.elements(); i++) {
            indices.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i * 7919 % limit);
        }
        return indices;
    }

    private static KernelCase gather(int rows, int count, int columns) {
        String text = count + " of " + rows + "x" + columns;
        return KernelCase.of("gather", text, Work.bytes(8.0 * count * columns), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor data = operands.floats(rows, columns);
            Tensor indices = indices(operands, rows, count);
            Tensor y = operands.zeros(ElementType.FLOAT, count, columns);
            var numbers = new RowNumbers(kernels.set());
            var moves = new Rows(kernels.set());
            var list = new IndexList(indices.segment(), true, count);
            MemorySegment table = arena.allocate(RowNumbers.tableBytes(count), 64);
            Runnable ours = () -> {
                numbers.ofIndices(list, rows, table);
                moves.gather(table, count, data.segment(), 1, rows, 4L * columns, y.segment(), parallel);
            };
            return new Sides(ours, Map.of("y", y), () -> {
                var model = new PeerModel();
                model.output("y", model.node("Gather", model.input("data", data), model.input("indices", indices)));
                return model;
            });
        });
    }

    private static KernelCase elements(int rows, int columns) {
        String text = "elements " + rows + "x" + columns;
        long count = (long) rows * columns;
        return KernelCase.of("gather", text, Work.bytes(16.0 * count), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor data = operands.floats(rows, columns);
            Tensor indices = indices(operands, columns, rows, columns);
            Tensor y = operands.zeros(ElementType.FLOAT, rows, columns);
            var elements = new Elements(kernels.set());
            var list = new IndexList(indices.segment(), true, count);
            long[] dims = {rows, columns};
            var shape = new ElementShape(dims, dims, 1);
            Runnable ours = () -> elements.gather(list, shape, data.segment(), y.segment(), parallel);
            return new Sides(ours, Map.of("y", y), () -> {
                var model = new PeerModel();
                Attributes axis = Attributes.of("axis", Attribute.of(1L));
                model.output(
                        "y",
                        model.node("GatherElements", axis, model.input("data", data), model.input("indices", indices)));
                return model;
            });
        });
    }
}
