package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.conv.Reorder;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.StridedCopy;
import dev.millrace.providers.simd.program.Step;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;

/** Brings values from one order of elements into another one, each once. */
final class Layouts {
    private final Lowering lowering;

    Layouts(Lowering lowering) {
        this.lowering = lowering;
    }

    View plain(Cell cell) {
        if (cell.plain == null) {
            cell.plain = cell.blocked != null ? unblocked(cell) : constant(cell);
        }
        return cell.plain;
    }

    private View constant(Cell cell) {
        Tensor tensor = cell.known();
        if (tensor == null) {
            throw new IllegalStateException("'" + cell.name() + "' is not in memory");
        }
        Storage storage = Storage.constant(lowering.kit().weights().plain(tensor));
        return View.dense(storage, cell.type(), cell.shape());
    }

    View dense(Cell cell) {
        View view = plain(cell);
        if (!view.isDense()) {
            View copy = lowering.allocate(view.type(), view.shape());
            copy(view, copy, cell.name());
            cell.plain = copy;
            view = copy;
        }
        return view;
    }

    View blocked(Cell cell) {
        if (cell.blocked == null) {
            cell.blocked = reordered(cell);
        }
        return cell.blocked;
    }

    private View reordered(Cell cell) {
        int block = lowering.kit().block();
        View from = dense(cell);
        if (isSame(cell.shape(), block)) {
            return View.blocked(from.storage(), cell.shape(), from.offset(), block);
        }
        View to = View.blocked(
                Storage.block(Float.BYTES * View.blockedElements(cell.shape(), block)), cell.shape(), 0, block);
        reorder(cell, from, to, true);
        return to;
    }

    private View unblocked(Cell cell) {
        View from = java.util.Objects.requireNonNull(cell.blocked);
        if (isSame(cell.shape(), from.block())) {
            return View.dense(from.storage(), cell.type(), cell.shape(), from.offset());
        }
        View to = lowering.allocate(cell.type(), cell.shape());
        reorder(cell, from, to, false);
        return to;
    }

    /** Whether images of one pixel with whole blocks of channels are the same in both orders. */
    private static boolean isSame(Shape shape, int block) {
        return shape.elements(2, shape.rank()) == 1 && shape.dim(1) % block == 0;
    }

    private void reorder(Cell cell, View from, View to, boolean toBlocked) {
        Shape shape = cell.shape();
        int batch = Math.toIntExact(shape.dim(0));
        int channels = Math.toIntExact(shape.dim(1));
        long pixels = shape.elements(2, shape.rank());
        var reorder = new Reorder(lowering.kit().kernels(), batch, channels, pixels);
        lowering.add(Step.of(toBlocked ? "reorder to blocks" : "reorder to plain", cell.name())
                .reading(from)
                .writing(to)
                .repeating()
                .calling(memory -> {
                    MemorySegment in = memory.segment(from);
                    MemorySegment out = memory.segment(to);
                    return toBlocked
                            ? crew -> reorder.toBlocked(in, out, crew)
                            : crew -> reorder.toPlain(in, out, crew);
                }));
    }

    /** Adds a copy between views of one shape, none of them in blocks. */
    void copy(View from, View to, String name) {
        long[] dims = from.shape().toArray();
        int bytes = Math.toIntExact(from.type().bytes(1));
        if (dims.length == 0) {
            dims = new long[] {1};
        }
        long[] fromStrides = from.shape().rank() == 0 ? new long[] {1} : from.strides();
        long[] toStrides = to.shape().rank() == 0 ? new long[] {1} : to.strides();
        var copier = new Copier(lowering.kit().kernels(), StridedCopy.of(bytes, dims, 0, toStrides, 0, fromStrides));
        lowering.add(Step.of("copy", name).reading(from).writing(to).repeating().calling(memory -> {
            MemorySegment in = memory.segment(from);
            MemorySegment out = memory.segment(to);
            return crew -> copier.run(in, out, crew);
        }));
    }
}
