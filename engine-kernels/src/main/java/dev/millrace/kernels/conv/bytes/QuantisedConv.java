package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.StridedCopy;
import dev.millrace.kernels.lowp.QuantisedGemm;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedProduct;
import dev.millrace.kernels.lowp.QuantisedResult;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.List;

/**
 * A convolution of bytes of any shape, as matrix products of the windows of pixels (im2col), or of windows that the
 * product reads in place.
 */
public final class QuantisedConv implements QuantisedConvolution {
    /**
     * Bytes of the windows of one block: the second-level cache holds them together with what the product derives from
     * them.
     */
    private static final long BLOCK_BYTES = 128 << 10;
    /** The fewest and the most rows of a block. With fewer, preparing the weights takes too much of the time. */
    private static final long LEAST_ROWS = 40;

    private static final long MOST_ROWS = 800;
    private static final int LINE = 64;

    private final KernelSet kernels;
    private final ConvShape shape;
    private final QuantisedGemm gemm;
    private final WindowProducts windows;
    /** Whether the window of each pixel is that pixel alone. */
    private final boolean pointwise;

    private final long pixels;

    public QuantisedConv(KernelSet kernels, ConvShape shape) {
        this.kernels = kernels;
        this.shape = shape;
        gemm = new QuantisedGemm(kernels);
        windows = new WindowProducts(kernels, shape);
        pointwise = shape.depth().isPointwise()
                && shape.height().isPointwise()
                && shape.width().isPointwise();
        pixels = Math.multiplyExact(shape.outPixels(), shape.batch());
    }

    @Override
    public long packedBytes() {
        return Math.multiplyExact(shape.groups(), groupBytes());
    }

    private long groupBytes() {
        return gemm.packedBytes(windows.windowBytes(), shape.groupOutChannels());
    }

    @Override
    public String packedLayout() {
        return "conv " + gemm.packedLayout() + " of " + shape.groups() + " groups";
    }

    @Override
    public void pack(QuantisedMatrix weights, MemorySegment packed) {
        long columns = windows.windowBytes();
        CallChecks.byteMatrix("the weights", weights.data(), shape.outChannels(), columns, weights.stride());
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.writable("the packed weights", packed);
        int channels = shape.groupOutChannels();
        MemorySegment zeros = weights.zeroPoints();
        boolean zeroForEach = zeros != null && zeros.byteSize() != 1;
        if (zeros != null && zeroForEach) {
            CallChecks.bytes("the zero points of the weights", zeros, shape.outChannels());
        }
        for (int group = 0; group < shape.groups(); group++) {
            QuantisedMatrix ofGroup = ordered(weights, group);
            if (zeros != null) {
                ofGroup =
                        ofGroup.withZeroPoints(zeroForEach ? zeros.asSlice((long) group * channels, channels) : zeros);
            }
            gemm.packTransposed(ofGroup, columns, channels, packed.asSlice(group * groupBytes(), groupBytes()));
        }
    }

    /** Returns the weights of a group reordered from channel by channel to tap by tap. */
    private QuantisedMatrix ordered(QuantisedMatrix weights, int group) {
        long channels = shape.groupOutChannels();
        long from = group * channels * weights.stride();
        if (shape.taps() == 1) {
            return QuantisedMatrix.of(weights.data().asSlice(from), weights.signed(), weights.stride());
        }
        long taps = shape.taps();
        long inner = shape.groupChannels();
        long stride = Math.ceilDiv(windows.windowBytes(), Integer.BYTES) * Integer.BYTES;
        MemorySegment ordered = kernels.allocate(channels * stride);
        StridedCopy copy = StridedCopy.of(
                Byte.BYTES, new long[] {channels, taps, inner}, 0, new long[] {stride, inner, 1}, from, new long[] {
                    weights.stride(), 1, taps
                });
        new Copier(kernels, copy).run(weights.data(), ordered, Parallel.NONE);
        return QuantisedMatrix.of(ordered, weights.signed(), stride);
    }

    @Override
    public List<Activation> activations() {
        return Activation.ALL;
    }

    @Override
    public long scratchBytes(boolean plain, int width) {
        if (pointwise) {
            return gemm.scratchBytes(pixels, shape.groupChannels(), plain, width);
        }
        boolean strips = plain && readsStrips();
        OutputBlocks.Block block = blocks(strips, tasks(width)).largest();
        return Math.multiplyExact(
                width, Math.addExact(windowBytes(strips, block), strips ? 0 : productBytes(block, plain)));
    }

    private long windowBytes(boolean strips, OutputBlocks.Block block) {
        return Math.ceilDiv(strips ? windows.stripBytes(block) : windows.rowBytes(block), LINE) * LINE;
    }

    /** Bytes of scratch memory that the product of a block needs on one thread. */
    private long productBytes(OutputBlocks.Block block, boolean plain) {
        return gemm.scratchBytes(block.pixels(), windows.pitch(), plain, 1);
    }

    @Override
    public void run(
            QuantisedMatrix in, MemorySegment packed, QuantisedResult out, MemorySegment scratch, Parallel parallel) {
        ByteOperands.check(shape, in, out);
        CallChecks.bytes("the packed weights", packed, packedBytes());
        try {
            run(new Operands(in, packed, out, scratch), parallel);
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(packed);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(scratch);
        }
    }

    /** The memory of a run. All of it was checked, except the scratch memory. */
    private record Operands(QuantisedMatrix in, MemorySegment packed, QuantisedResult out, MemorySegment scratch) {}

    private int tasks(int width) {
        long work = pixels * windows.windowBytes() * shape.outChannels();
        return ParallelThresholds.shares(work, ParallelThresholds.BYTE_PRODUCTS, width);
    }

    private OutputBlocks blocks(boolean strips, int tasks) {
        return OutputBlocks.of(shape, strips ? stripPixels() : rowPixels(), !strips, tasks);
    }

    private void run(Operands operands, Parallel parallel) {
        int tasks = tasks(parallel.width());
        if (pointwise) {
            for (int group = 0; group < shape.groups() && pixels > 0; group++) {
                QuantisedMatrix left = pixelsOf(operands.in(), group);
                multiply(operands, left, 0, pixels, group, operands.scratch(), parallel);
            }
            return;
        }
        boolean strips = !operands.in().signed()
                && readsStrips()
                && gemm.readsWindows(operands.packed(), windows.windowBytes(), shape.groupOutChannels());
        OutputBlocks blocks = blocks(strips, tasks);
        long count = blocks.count();
        MemorySegment scratch = operands.scratch();
        if (tasks == 1) {
            blocks(operands, blocks, strips, 0, count, scratch, parallel.alone());
        } else if (count < tasks || pixels < count * LEAST_ROWS) {
            blocks(operands, blocks, strips, 0, count, scratch, parallel);
        } else {
            long ofTask = scratch.byteSize() / tasks / LINE * LINE;
            parallel.run(
                    tasks,
                    task -> blocks(
                            operands,
                            blocks,
                            strips,
                            count * task / tasks,
                            count * (task + 1) / tasks,
                            scratch.asSlice(task * ofTask, ofTask),
                            parallel.alone()));
        }
    }

    private boolean readsStrips() {
        return windows.areStrips() && gemm.hasWindows();
    }

    /** The number of pixels in a block whose windows are written as rows. */
    private long rowPixels() {
        return Math.clamp(BLOCK_BYTES / windows.windowBytes(), LEAST_ROWS, MOST_ROWS);
    }

    /**
     * The number of pixels in a block whose windows are read in place: whole lines, or the part of a longer line that
     * the cache holds.
     */
    private long stripPixels() {
        int line = shape.width().out();
        long lines = BLOCK_BYTES / windows.lineBytes();
        long part = Math.max(LEAST_ROWS, line * BLOCK_BYTES / windows.lineBytes());
        return lines > 0 ? lines * line : Math.min(line, part);
    }

    /**
     * Computes some blocks, one after the other.
     *
     * @param strips whether products read windows in place
     * @param scratch memory for the windows of a block, and for the products
     */
    private void blocks(
            Operands operands,
            OutputBlocks blocks,
            boolean strips,
            long first,
            long end,
            MemorySegment scratch,
            Parallel parallel) {
        QuantisedMatrix in = operands.in();
        long most = windowBytes(strips, blocks.largest());
        CallChecks.bytes("the scratch memory", scratch, most);
        MemorySegment ofProducts = scratch.asSlice(most);
        for (long number = first; number < end; number++) {
            OutputBlocks.Block block = blocks.block(number);
            for (int group = 0; group < shape.groups(); group++) {
                QuantisedMatrix left =
                        strips ? windows.strips(in, block, group, scratch) : windows.rows(in, block, group, scratch);
                multiply(operands, left, blocks.firstPixel(block), block.pixels(), group, ofProducts, parallel);
            }
        }
    }

    private QuantisedMatrix pixelsOf(QuantisedMatrix in, int group) {
        MemorySegment first = in.data().asSlice((long) group * shape.groupChannels());
        return new QuantisedMatrix(first, in.signed(), in.stride(), in.zeroPoints(), in.scales());
    }

    private void multiply(
            Operands operands,
            QuantisedMatrix left,
            long first,
            long rows,
            int group,
            MemorySegment scratch,
            Parallel parallel) {
        int channels = shape.groupOutChannels();
        QuantisedProduct product = new QuantisedProduct(
                left,
                operands.packed().asSlice(group * groupBytes(), groupBytes()),
                part(operands.out(), first, rows, (long) group * channels, channels),
                rows,
                channels,
                windows.windowBytes());
        gemm.run(product, scratch, parallel);
    }

    private static QuantisedResult part(QuantisedResult out, long firstRow, long rows, long column, int columns) {
        int bytes = out.output().bytes();
        long start = (firstRow * out.stride() + column) * bytes;
        long length = ((rows - 1) * out.stride() + columns) * bytes;
        MemorySegment scales = out.scales();
        MemorySegment bias = out.bias();
        return new QuantisedResult(
                out.data().asSlice(start, length),
                out.output(),
                out.stride(),
                scales != null && out.hasScalePerColumn() ? scales.asSlice(4 * column, 4L * columns) : scales,
                bias == null ? null : bias.asSlice(4 * column, 4L * columns),
                out.activation(),
                out.zeroPoint(),
                out.small());
    }
}
