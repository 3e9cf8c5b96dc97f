package dev.millrace.session.batch;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Copies boxes (contiguous index ranges of every axis) between tensors of one rank and type. */
final class BoxCopy {
    private BoxCopy() {}

    /**
     * Copies a box that begins at an index of one axis, and at 0 of all others. The source is retained meanwhile.
     *
     * @param start the index along the axis in the source
     * @param at the index along the axis in the destination
     */
    static void copy(Tensor whole, long start, BatchMemory.Made to, long at, int axis, Shape box) {
        Tensor from = whole.retain();
        try {
            copyHeld(from, start, to, at, axis, box);
        } finally {
            whole.release();
        }
    }

    /** Copies a box as {@code copy} does, from a source that the caller retains. */
    static void copyHeld(Tensor from, long start, BatchMemory.Made to, long at, int along, Shape box) {
        if (box.elements() == 0) {
            return;
        }
        int rank = box.rank();
        Shape source = from.shape();
        Shape target = to.tensor().shape();
        // from this axis on, whole axes are copied, so each piece is contiguous
        int pieces = rank - 1;
        while (pieces > 0 && box.dim(pieces) == source.dim(pieces) && box.dim(pieces) == target.dim(pieces)) {
            pieces--;
        }
        long bytes = from.type().bytes(box.elements(pieces, rank));
        long firstRead = start * source.elements(along + 1, rank);
        long firstWritten = at * target.elements(along + 1, rank);
        MemorySegment read = from.segment();
        for (long i = 0; i < box.elements(0, pieces); i++) {
            long readAt = firstRead + offset(i, box, source, pieces);
            long writeAt = firstWritten + offset(i, box, target, pieces);
            MemorySegment.copy(
                    read, from.type().bytes(readAt), to.content(), from.type().bytes(writeAt), bytes);
        }
    }

    /** Returns the element offset of a contiguous piece of a box in a tensor whose origin is the box's. */
    private static long offset(long piece, Shape box, Shape in, int axes) {
        long offset = 0;
        long rest = piece;
        long stride = in.elements(axes, in.rank());
        for (int axis = axes - 1; axis >= 0; axis--) {
            offset += rest % box.dim(axis) * stride;
            rest /= box.dim(axis);
            stride *= in.dim(axis);
        }
        return offset;
    }
}
