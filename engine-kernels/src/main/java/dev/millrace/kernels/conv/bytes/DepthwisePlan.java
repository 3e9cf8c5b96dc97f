package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.layout.RunCopies;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedOutput;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.kernels.lowp.Requantisation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A depthwise convolution in bands of rows. The input rows that a band reads are copied together with their padding,
 * then each row of outputs is computed in tiles of nearly equal width.
 */
final class DepthwisePlan {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    /** The least int from which floats cannot represent all ints. */
    private static final int LEAST_INEXACT = 1 << 24;
    /** A bound of what one tap adds to a sum, and subtracts for the zero point. */
    private static final int MOST_OF_PRODUCT = 1 << 17;

    private static final int LINE = 64;
    /** Bytes of the padded copy of a band, so that the near caches hold it. */
    private static final long BAND_BYTES = 96 << 10;

    private final KernelSet kernels;
    private final ConvShape shape;
    private final int lanes;
    private final RunCopies copies;
    private final KernelCache<DepthwiseTile.Variant> tiles;
    private final DriverScratch arguments = new DriverScratch();
    private final PaddedBand padded;
    private final long rowBytes;
    private final int bandRows;
    /** The width of the wider tiles in pixels; the number of these; the number of tiles that are one pixel narrower. */
    private final int pixels;

    private final int wide;
    private final int narrow;

    DepthwisePlan(KernelSet kernels, ConvShape shape) {
        this.kernels = kernels;
        this.shape = shape;
        lanes = kernels.target().lanes();
        copies = new RunCopies(kernels);
        tiles = new KernelCache<>(kernels, DepthwiseTile.Variant::key);
        Axis width = shape.width();
        padded = new PaddedBand(shape.height(), width, shape.channels());
        rowBytes = padded.rowBytes(width.out());
        bandRows = (int) Math.clamp(BAND_BYTES / rowBytes / shape.height().stride(), 1, 64);
        int most = DepthwiseTile.maxPixels(kernels.target(), width.taps());
        int count = Math.max(1, Math.ceilDiv(width.out(), most));
        pixels = Math.max(1, Math.ceilDiv(width.out(), count));
        narrow = width.out() == 0 ? 0 : count * pixels - width.out();
        wide = width.out() == 0 ? 0 : count - narrow;
    }

    long blocks() {
        return (shape.channels() + lanes - 1) / lanes;
    }

    /** Bytes of the weights of a block of channels: the sum of each channel's weights, then the weights, tap by tap. */
    long weightBytes() {
        return 4L * lanes * (1 + shape.taps());
    }

    /** The memory of a run; all of it was checked. */
    record Operands(QuantisedMatrix in, MemorySegment packed, QuantisedResult out, MemorySegment scratch) {}

    private long bandBytes() {
        return padded.rows(bandRows) * rowBytes + lanes;
    }

    /** Bytes of scratch memory that a task needs: a band, and a row of padding. */
    long scratchBytes() {
        return Math.ceilDiv(bandBytes() + rowBytes, LINE) * LINE;
    }

    /**
     * Computes some rows of outputs, counted over all images, on one thread.
     *
     * @param number the index of the thread's part of the scratch memory
     */
    void rows(Operands operands, int number, long first, long end, Parallel parallel) {
        if (wide + narrow == 0) {
            return;
        }
        Task task = new Task(operands, number);
        int height = shape.height().out();
        long row = first;
        while (row < end) {
            parallel.checkCancelled();
            int y = (int) (row % height);
            int count = (int) Math.min(Math.min(bandRows, height - y), end - row);
            task.band(row / height, y, count);
            row += count;
        }
    }

    private final class Task {
        private final Memory memory = kernels.newMemory();
        private final Operands operands;
        private final long packed;
        private final long out;
        private final long band;
        private final PaddedBand.Writer copy;
        private final MemorySegment block = arguments.atLeast(2L * DepthwiseArguments.BYTES);
        private final long blockStart;
        private final boolean small;
        /** The address of the zero point of the input. */
        private final long zero;

        Task(Operands operands, int number) {
            this.operands = operands;
            packed = memory.pointer(operands.packed());
            out = memory.pointer(operands.out().data());
            blockStart = memory.pointer(block);
            block.set(FLOAT, DepthwiseArguments.ONE, 1);
            block.set(INT, DepthwiseArguments.NOTHING, 0);
            MemorySegment zeros = operands.in().zeroPoints();
            zero = zeros == null ? blockStart + DepthwiseArguments.NOTHING : memory.pointer(zeros);
            band = memory.pointer(operands.scratch()) + number * scratchBytes();
            long outside = band + bandBytes();
            RunCopies.Calls calls = copies.in(memory);
            calls.fill(zero, outside, rowBytes);
            copy = padded
            .new Writer(
                    calls, memory.pointer(operands.in().data()), operands.in().stride(), outside);
            small = operands.out().output() != QuantisedOutput.F32
                    && isSmall(operands.out().bias());
            arguments(0, pixels, wide);
            arguments(DepthwiseArguments.BYTES, pixels - 1, narrow);
        }

        private void arguments(long at, int width, int count) {
            QuantisedResult result = operands.out();
            Axis across = shape.width();
            long pitch = shape.channels();
            long tile = (long) width * across.stride() * pitch;
            int read = (width - 1) * across.stride() + (across.taps() - 1) * across.dilation() + 1;
            int moved = (read - 1) / DepthwiseTileWriter.COLUMNS * DepthwiseTileWriter.COLUMNS;
            long outPitch = result.stride() * result.output().bytes();
            set(at, DepthwiseArguments.ROWS, shape.height().taps());
            set(at, DepthwiseArguments.PITCH, pitch);
            set(at, DepthwiseArguments.IN_ROW, shape.height().dilation() * rowBytes - moved * pitch);
            set(at, DepthwiseArguments.IN_TILE, tile);
            set(at, DepthwiseArguments.IN_BLOCK, lanes - count * tile);
            set(at, DepthwiseArguments.OUT_PITCH, outPitch);
            set(
                    at,
                    DepthwiseArguments.OUT_BLOCK,
                    (long) lanes * result.output().bytes() - (long) count * width * outPitch);
            set(at, DepthwiseArguments.WEIGHTS, weightBytes());
            MemorySegment bias = result.bias();
            MemorySegment scales = result.scales();
            set(at, DepthwiseArguments.BIAS, bias == null ? 0 : memory.pointer(bias));
            long one = blockStart + DepthwiseArguments.ONE;
            set(at, DepthwiseArguments.SCALES, scales == null ? one : memory.pointer(scales));
            set(at, DepthwiseArguments.TAIL, shape.channels() % lanes);
            Requantisation.put(result, block, at + DepthwiseArguments.REQUANTISATION);
            MemorySegment scale = operands.in().scales();
            set(at, DepthwiseArguments.ZERO_OF_IN, zero);
            set(at, DepthwiseArguments.SCALE_OF_IN, scale == null ? one : memory.pointer(scale));
        }

        /** Whether sums of products and this bias fit into the 24 bits of a float's significand. */
        private boolean isSmall(@Nullable MemorySegment bias) {
            if (bias == null) {
                return false;
            }
            int most = LEAST_INEXACT - MOST_OF_PRODUCT * shape.taps();
            for (int channel = 0; channel < shape.channels(); channel++) {
                int number = bias.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, channel);
                if (number >= most || number <= -most) {
                    return false;
                }
            }
            return true;
        }

        private void set(long at, int place, long value) {
            block.set(LONG, at + place, value);
        }

        void band(long image, int firstRow, int count) {
            copy.write(
                    image,
                    new OutputBlocks.Block(
                            image, 1, firstRow, count, 0, shape.width().out()),
                    band);
            for (int row = 0; row < count; row++) {
                long pixel = (image * shape.height().out() + firstRow + row)
                        * shape.width().out();
                long from = band + row * shape.height().stride() * rowBytes;
                long to = out
                        + pixel
                                * operands.out().stride()
                                * operands.out().output().bytes();
                row(from, to);
            }
        }

        private void row(long from, long to) {
            int full = shape.channels() / lanes;
            if (full > 0) {
                tiles(from, to, 0, full, false);
            }
            if (shape.channels() % lanes > 0) {
                tiles(from, to, full, 1, true);
            }
        }

        private void tiles(long from, long to, int firstBlock, int count, boolean masked) {
            long start = from + (long) firstBlock * lanes;
            long weights = packed + firstBlock * weightBytes();
            int bytes = operands.out().output().bytes();
            long place = to + (long) firstBlock * lanes * bytes;
            long channel = 4L * firstBlock * lanes;
            kernel(pixels, masked).call(memory, start, weights, place, blockStart, wide | (long) count << 32, channel);
            if (narrow > 0) {
                long before = (long) wide * pixels;
                kernel(pixels - 1, masked)
                        .call(
                                memory,
                                start + before * shape.width().stride() * shape.channels(),
                                weights,
                                place + before * operands.out().stride() * bytes,
                                blockStart + DepthwiseArguments.BYTES,
                                narrow | (long) count << 32,
                                channel);
            }
        }

        private CompiledKernel kernel(int width, boolean masked) {
            QuantisedResult result = operands.out();
            return tiles.kernel(new DepthwiseTile.Variant(
                    width,
                    shape.width().taps(),
                    shape.width().stride(),
                    shape.width().dilation(),
                    operands.in().signed(),
                    masked,
                    result.output(),
                    result.bias() != null,
                    small,
                    result.hasScalePerColumn(),
                    result.output() == QuantisedOutput.F32 && result.activation() == Activation.RELU,
                    result.cuts()));
        }
    }
}
