package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.conv.bytes.OutputBlocks.Block;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.layout.RunCopies;
import dev.millrace.kernels.lowp.ByteWindows;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import java.lang.foreign.MemorySegment;

/**
 * The left factors of the matrix products that make up a convolution of bytes. Where products read windows in place,
 * the factor is the image or a padded copy of a part of it, else it has a row for each window (im2col). A factor is in
 * the memory that is given for it, until the next one is written there.
 */
final class WindowProducts {
    /** The least width of lines. Narrower ones would be cut into too many tiles that are not full. */
    private static final int LEAST_LINE = 12;

    private final KernelSet kernels;
    private final ConvShape shape;
    private final WindowRows windows;
    private final RunCopies copies;
    private final PaddedBand band;
    /** A segment that holds the byte 0. */
    private final MemorySegment nothing;

    WindowProducts(KernelSet kernels, ConvShape shape) {
        this.kernels = kernels;
        this.shape = shape;
        copies = new RunCopies(kernels);
        nothing = kernels.allocate(1);
        windows = new WindowRows(shape);
        band = new PaddedBand(shape.height(), shape.width(), shape.groupChannels());
    }

    /** Bytes of a window. */
    long windowBytes() {
        return windows.rowBytes();
    }

    /** Bytes of the input rows that each further line of outputs adds to a block. */
    long lineBytes() {
        return band.rowBytes(shape.width().out()) * shape.height().stride();
    }

    /** Whether windows consist of contiguous strips that products can read in place. */
    boolean areStrips() {
        return shape.depth().isPointwise()
                && shape.width().dilation() == 1
                && shape.width().out() >= LEAST_LINE
                && windows.tapRowBytes() % 4 == 0;
    }

    /** Bytes of scratch memory for a block that is read in place. */
    long stripBytes(Block block) {
        return (band.rows(block.rows()) + 1) * band.rowBytes(block.columns());
    }

    /** Bytes of scratch memory for a block that is written as rows. */
    long rowBytes(Block block) {
        return block.pixels() * windows.pitch() + stripBytes(block);
    }

    /** Bytes from the window of a pixel to the next, where each is a row of its own. */
    long pitch() {
        return windows.pitch();
    }

    /** Returns the windows of a block as strips of lines, to be read in place. */
    QuantisedMatrix strips(QuantisedMatrix in, Block block, int group, MemorySegment scratch) {
        return readsImage(in) ? inImage(in, block, group) : inBand(in, block, group, scratch);
    }

    /** Whether no window reaches over the border of its image, and the rows of a window are contiguous there. */
    private boolean readsImage(QuantisedMatrix in) {
        return isInside(shape.height())
                && isInside(shape.width())
                && (shape.width().taps() == 1 || in.stride() == shape.groupChannels());
    }

    private static boolean isInside(Axis axis) {
        long last = (axis.out() - 1L) * axis.stride() + (axis.taps() - 1L) * axis.dilation() - axis.before();
        return axis.before() <= 0 && last < axis.in();
    }

    private QuantisedMatrix inImage(QuantisedMatrix in, Block block, int group) {
        Axis height = shape.height();
        Axis width = shape.width();
        long pitch = width.in() * in.stride();
        long row = block.plane() * height.in() + height.start(block.row());
        long first = row * pitch + width.start(block.column()) * in.stride() + (long) group * shape.groupChannels();
        return lines(in, in.data().asSlice(first), width.stride() * in.stride(), block, pitch);
    }

    private QuantisedMatrix inBand(QuantisedMatrix in, Block block, int group, MemorySegment scratch) {
        long pitch = band.rowBytes(block.columns());
        long bytes = band.rows(block.rows()) * pitch;
        Memory own = kernels.newMemory();
        long to = own.pointer(scratch);
        RunCopies.Calls calls = copies.in(own);
        outside(own, calls, in, to + bytes, pitch);
        writer(own, calls, in, group, to + bytes).write(block.plane(), block, to);
        long step = (long) shape.width().stride() * shape.groupChannels();
        return lines(in, scratch.asSlice(0, bytes), step, block, pitch);
    }

    /** Writes a row of padding. */
    private void outside(Memory own, RunCopies.Calls calls, QuantisedMatrix in, long to, long bytes) {
        MemorySegment zero = in.zeroPoints();
        calls.fill(own.pointer(zero == null ? nothing : zero), to, bytes);
    }

    private QuantisedMatrix lines(QuantisedMatrix in, MemorySegment from, long step, Block block, long pitch) {
        Axis height = shape.height();
        var lines = new ByteWindows(block.columns(), height.stride() * pitch, height.taps(), height.dilation() * pitch);
        return new QuantisedMatrix(from, false, step, in.zeroPoints(), in.scales(), lines);
    }

    /** Returns the windows of a block, each as a row of its own. */
    QuantisedMatrix rows(QuantisedMatrix in, Block block, int group, MemorySegment scratch) {
        long pitch = band.rowBytes(block.columns());
        long bandBytes = band.rows(block.rows()) * pitch;
        long rowBytes = block.pixels() * windows.pitch();
        Memory own = kernels.newMemory();
        long to = own.pointer(scratch);
        long copy = to + rowBytes;
        RunCopies.Calls calls = copies.in(own);
        outside(own, calls, in, copy + bandBytes, pitch);
        PaddedBand.Writer writer = writer(own, calls, in, group, copy + bandBytes);
        Axis depth = shape.depth();
        long planeBytes = (long) block.rows() * block.columns() * windows.pitch();
        for (int i = 0; i < block.planes(); i++) {
            long plane = block.plane() + i;
            int start = depth.start((int) (plane % depth.out()));
            for (int tap = 0; tap < depth.taps(); tap++) {
                int at = start + tap * depth.dilation();
                if (at < 0 || at >= depth.in()) {
                    writer.writeOutside(block, copy);
                } else {
                    writer.write(plane / depth.out() * depth.in() + at, block, copy);
                }
                windows.write(calls, copy, pitch, block, tap, to + i * planeBytes);
            }
        }
        return new QuantisedMatrix(
                scratch.asSlice(0, rowBytes), in.signed(), windows.pitch(), in.zeroPoints(), in.scales());
    }

    private PaddedBand.Writer writer(Memory own, RunCopies.Calls calls, QuantisedMatrix in, int group, long outside) {
        long first = own.pointer(in.data()) + (long) group * shape.groupChannels();
        return band.new Writer(calls, first, in.stride(), outside);
    }
}
