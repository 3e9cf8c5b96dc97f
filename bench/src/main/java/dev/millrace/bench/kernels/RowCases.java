package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.gather.ElementShape;
import dev.millrace.kernels.gather.IndexList;
import dev.millrace.kernels.gather.RowGather;
import dev.millrace.kernels.gather.RowMove;
import dev.millrace.kernels.gather.RowNumbers;
import dev.millrace.kernels.gather.SingleElementGather;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.Copies;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Rows and elements by indices of 64 bits. */
final class RowCases {
    private static final Attributes ALONG_ROWS = Attributes.of("axis", Attribute.of(1L));

    private RowCases() {}

    static List<KernelCase> all() {
        return List.of(
                gather(30000, 128, 768),
                gather(30000, 4096, 64),
                gather(1000, 16, 8),
                elements(256, 4096),
                tuples(64, 64, 1024, 256),
                scatter(4096, 1024, 256),
                scatterElements(256, 4096));
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
        return KernelCase.of("gather", text, LayerWork.bytes(8.0 * count * columns), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor data = operands.floats(rows, columns);
            Tensor indices = indices(operands, rows, count);
            Tensor y = operands.zeros(ElementType.FLOAT, count, columns);
            var numbers = new RowNumbers(kernels.set());
            var moves = new RowGather(kernels.set());
            var list = new IndexList(indices.segment(), true, count);
            MemorySegment table = arena.allocate(RowNumbers.tableBytes(count), 64);
            Runnable ours = () -> {
                numbers.ofIndices(list, rows, table);
                moves.gather(table, count, data.segment(), 1, rows, 4L * columns, y.segment(), parallel);
            };
            return Sides.of(
                    ours, y, model -> model.node("Gather", model.input("data", data), model.input("indices", indices)));
        });
    }

    private static KernelCase elements(int rows, int columns) {
        String text = "elements " + rows + "x" + columns;
        long count = (long) rows * columns;
        return KernelCase.of("gather", text, LayerWork.bytes(16.0 * count), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor data = operands.floats(rows, columns);
            Tensor indices = indices(operands, columns, rows, columns);
            Tensor y = operands.zeros(ElementType.FLOAT, rows, columns);
            var elements = new SingleElementGather(kernels.set());
            var list = new IndexList(indices.segment(), true, count);
            long[] dims = {rows, columns};
            var shape = new ElementShape(dims, dims, 1);
            Runnable ours = () -> elements.gather(list, shape, data.segment(), y.segment(), parallel);
            return Sides.of(
                    ours,
                    y,
                    model -> model.node(
                            "GatherElements", ALONG_ROWS, model.input("data", data), model.input("indices", indices)));
        });
    }

    /** Rows by pairs of indices. */
    private static KernelCase tuples(int planes, int rows, int count, int columns) {
        String text = "pairs %d of %dx%dx%d".formatted(count, planes, rows, columns);
        return KernelCase.of("gather", text, LayerWork.bytes(8.0 * count * columns), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor data = operands.floats(planes, rows, columns);
            Tensor indices = indices(operands, Math.min(planes, rows), count, 2);
            Tensor y = operands.zeros(ElementType.FLOAT, count, columns);
            var numbers = new RowNumbers(kernels.set());
            var moves = new RowGather(kernels.set());
            var list = new IndexList(indices.segment(), true, 2L * count);
            long[] dims = {planes, rows};
            MemorySegment table = arena.allocate(RowNumbers.tableBytes(count), 64);
            Runnable ours = () -> {
                numbers.ofTuples(list, dims, table);
                moves.gather(
                        table, count, data.segment(), 1, (long) planes * rows, 4L * columns, y.segment(), parallel);
            };
            return Sides.of(
                    ours,
                    y,
                    model -> model.node("GatherND", model.input("data", data), model.input("indices", indices)));
        });
    }

    /** Rows written into a copy of the data. */
    private static KernelCase scatter(int rows, int count, int columns) {
        String text = "%d into %dx%d".formatted(count, rows, columns);
        double bytes = 8.0 * columns * (rows + count);
        return KernelCase.of("scatter", text, LayerWork.bytes(bytes), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor data = operands.floats(rows, columns);
            Tensor indices = indices(operands, rows, count, 1);
            Tensor updates = operands.floats(count, columns);
            Tensor y = operands.zeros(ElementType.FLOAT, rows, columns);
            var copier = new Copier(kernels.set(), Copies.transpose(4, new long[] {rows, columns}, 0, 1));
            var numbers = new RowNumbers(kernels.set());
            var moves = new RowGather(kernels.set());
            var list = new IndexList(indices.segment(), true, count);
            MemorySegment table = arena.allocate(RowNumbers.tableBytes(count), 64);
            Runnable ours = () -> {
                copier.run(data.segment(), y.segment(), parallel);
                numbers.ofIndices(list, rows, table);
                moves.scatter(
                        table, count, updates.segment(), RowMove.Update.SET, y.segment(), rows, 4L * columns, parallel);
            };
            return Sides.of(
                    ours,
                    y,
                    model -> model.node(
                            "ScatterND",
                            model.input("data", data),
                            model.input("indices", indices),
                            model.input("updates", updates)));
        });
    }

    /** Elements written into a copy of the data. */
    private static KernelCase scatterElements(int rows, int columns) {
        String text = "elements %dx%d".formatted(rows, columns);
        long count = (long) rows * columns;
        return KernelCase.of("scatter", text, LayerWork.bytes(24.0 * count), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor data = operands.floats(rows, columns);
            Tensor indices = indices(operands, columns, rows, columns);
            Tensor updates = operands.floats(rows, columns);
            Tensor y = operands.zeros(ElementType.FLOAT, rows, columns);
            long[] dims = {rows, columns};
            var copier = new Copier(kernels.set(), Copies.transpose(4, dims, 0, 1));
            var numbers = new RowNumbers(kernels.set());
            var moves = new RowGather(kernels.set());
            var list = new IndexList(indices.segment(), true, count);
            var shape = new ElementShape(dims, dims, 1);
            MemorySegment table = arena.allocate(RowNumbers.tableBytes(count), 64);
            Runnable ours = () -> {
                copier.run(data.segment(), y.segment(), parallel);
                numbers.ofElements(list, shape, table);
                moves.scatter(table, count, updates.segment(), RowMove.Update.SET, y.segment(), count, 4, parallel);
            };
            return Sides.of(
                    ours,
                    y,
                    model -> model.node(
                            "ScatterElements",
                            ALONG_ROWS,
                            model.input("data", data),
                            model.input("indices", indices),
                            model.input("updates", updates)));
        });
    }
}
