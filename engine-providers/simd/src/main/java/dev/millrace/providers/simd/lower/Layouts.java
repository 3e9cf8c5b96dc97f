package dev.millrace.providers.simd.lower;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.conv.ChannelMove;
import dev.millrace.kernels.conv.Reorder;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.StridedCopy;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Brings values from one order of elements into another one, each once. */
final class Layouts {
    private final PartitionCompiler lowering;

    Layouts(PartitionCompiler lowering) {
        this.lowering = lowering;
    }

    View plain(ValueState cell) {
        if (cell.plain == null) {
            cell.plain = cell.blocked != null ? unblocked(cell) : unordered(cell);
        }
        return cell.plain;
    }

    private View unordered(ValueState cell) {
        return cell.channels != null ? cell.channels.plain().get() : constant(cell);
    }

    private View constant(ValueState cell) {
        Tensor tensor = cell.known();
        if (tensor == null) {
            throw new IllegalStateException("'" + cell.name() + "' is not in memory");
        }
        Storage storage = Storage.constant(lowering.environment().weights().plain(tensor));
        return View.dense(storage, cell.type(), cell.shape());
    }

    View dense(ValueState cell) {
        View view = plain(cell);
        if (!view.isDense()) {
            View copy = lowering.allocate(view.type(), view.shape());
            copy(view, copy, cell.name());
            cell.plain = copy;
            view = copy;
        }
        return view;
    }

    View blocked(ValueState cell) {
        if (cell.blocked == null) {
            Channels channels = cell.isBlockedOnly() ? cell.channels : null;
            cell.blocked = channels != null ? moved(cell, channels) : reordered(cell);
        }
        return cell.blocked;
    }

    /** Channels that were given another order, from blocks to blocks. */
    private View moved(ValueState cell, Channels channels) {
        int block = lowering.environment().block();
        Shape shape = cell.shape();
        View from = blocked(channels.source());
        int first = channels.firstOfBlocks(block);
        if (first >= 0) {
            return View.blocked(from.storage(), shape, from.offset() + first * shape.elements(2, shape.rank()), block);
        }
        View to = View.blocked(Storage.block(Float.BYTES * View.blockedElements(shape, block)), shape, 0, block);
        move(cell, from, to, 0, channels.order());
        return to;
    }

    /**
     * Adds a move of channels of images in blocks.
     *
     * @param from null where they all become zero
     * @param first of the channels that are written
     */
    void move(ValueState cell, @Nullable View from, View to, int first, int[] order) {
        Shape shape = to.shape();
        int channels = from == null ? 1 : Math.toIntExact(from.shape().dim(1));
        var target = new ChannelMove.Target(Math.toIntExact(shape.dim(1)), first);
        var move = new ChannelMove(
                lowering.environment().kernels(),
                Math.toIntExact(shape.dim(0)),
                shape.elements(2, shape.rank()),
                channels,
                target,
                order);
        lowering.add(ProgramStep.of("move of channels", cell.name())
                .reading(from == null ? List.of() : List.of(from))
                .writing(to)
                .repeating()
                .calling(memory -> {
                    MemorySegment in = from == null ? null : memory.segment(from);
                    MemorySegment out = memory.segment(to);
                    return crew -> move.run(in, out, crew);
                }));
    }

    private View reordered(ValueState cell) {
        int block = lowering.environment().block();
        View from = dense(cell);
        if (isSame(cell.shape(), block)) {
            return View.blocked(from.storage(), cell.shape(), from.offset(), block);
        }
        View to = View.blocked(
                Storage.block(Float.BYTES * View.blockedElements(cell.shape(), block)), cell.shape(), 0, block);
        reorder(cell, from, to, true);
        return to;
    }

    private View unblocked(ValueState cell) {
        View from = Objects.requireNonNull(cell.blocked);
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

    private void reorder(ValueState cell, View from, View to, boolean toBlocked) {
        Shape shape = cell.shape();
        int batch = Math.toIntExact(shape.dim(0));
        int channels = Math.toIntExact(shape.dim(1));
        long pixels = shape.elements(2, shape.rank());
        var reorder = new Reorder(lowering.environment().kernels(), batch, channels, pixels);
        lowering.add(ProgramStep.of(toBlocked ? "reorder to blocks" : "reorder to plain", cell.name())
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
        var copier =
                new Copier(lowering.environment().kernels(), StridedCopy.of(bytes, dims, 0, toStrides, 0, fromStrides));
        lowering.add(ProgramStep.of("copy", name)
                .reading(from)
                .writing(to)
                .repeating()
                .calling(memory -> {
                    MemorySegment in = memory.segment(from);
                    MemorySegment out = memory.segment(to);
                    return crew -> copier.run(in, out, crew);
                }));
    }
}
