package dev.millrace.providers.cpu.select;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.CellLoops;
import dev.millrace.providers.cpu.move.Cells;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Tensors made of some slices of others. */
final class Slices {
    private static final int BLOCK = 1 << 16;

    private Slices() {}

    /** The slices of {@code data} at some places along an axis, in this order. */
    static Tensor gather(DynamicContext context, Tensor data, int axis, int... places) {
        Shape shape = data.shape();
        Tensor result = context.allocate(data.type(), shape.with(axis, places.length));
        var cells = new Cells();
        MemorySegment from = cells.of(data);
        boolean converted = Cells.areConverted(data.type());
        MemorySegment to = converted ? Cells.allocate(data.type(), result.elements()) : result.segment();
        int size = Cells.size(data.type());
        long inner = shape.elements(axis + 1, shape.rank());
        long at = 0;
        long outers = result.elements() == 0 ? 0 : shape.elements(0, axis);
        for (long outer = 0; outer < outers; outer++) {
            context.checkCancelled(outer);
            long first = outer * shape.dim(axis);
            for (int start = 0; start < places.length && inner == 1; start += BLOCK) {
                context.checkCancelled();
                int end = Math.min(places.length, start + BLOCK);
                int[] some = end - start == places.length ? places : Arrays.copyOfRange(places, start, end);
                CellLoops.gather(size, from, first, some, to, at);
                at += some.length;
            }
            if (inner == 1) {
                continue;
            }
            for (int place : places) {
                context.checkCancelled(at);
                CellLoops.copy(size, from, (first + place) * inner, to, at, inner);
                at += inner;
            }
        }
        if (converted) {
            cells.store(to, result);
        }
        return result;
    }
}
