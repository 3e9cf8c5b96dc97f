package dev.millrace.session;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;

/** Copies boxes between tensors of one rank and type. */
final class BoxCopy {
    private BoxCopy() {}

    /**
     * Copies a box that begins at an index of one axis, and at 0 of all others. What is read is held meanwhile.
     *
     * @param start the index in the tensor that is read
     * @param at the index in the one that is written
     */
    static void copy(Tensor whole, long start, BatchMemory.Made to, long at, int axis, Shape box) {
        Tensor from = whole.hold();
        try {
            copyHeld(from, start, to, at, axis, box);
        } finally {
            whole.letGo();
        }
    }

    /** The same of a tensor that is held. */
    static void copyHeld(Tensor from, long start, BatchMemory.Made to, long at, int along, Shape box) {
        if (box.elements() == 0) {
            return;
        }
        int rank = box.rank();
        Shape source = from.shape();
        Shape target = to.tensor().shape();
        // behind this axis everything is copied, so that what it counts lies in one piece
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

    /** Where a piece of a box begins in a tensor that it lies at the origin of. */
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
