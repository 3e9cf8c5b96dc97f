package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.layout.RunCopies;

/**
 * Writes the window of each output pixel as a row of bytes: tap by tap, the channels of a group. A convolution is a
 * matrix product of these rows.
 */
final class WindowRows {
    private final RunCopies copies;
    private final ConvShape shape;
    private final long channels;
    private final long tapRowBytes;
    private final long rowBytes;
    private final long pitch;

    WindowRows(RunCopies copies, ConvShape shape) {
        this.copies = copies;
        this.shape = shape;
        channels = shape.groupChannels();
        tapRowBytes = channels * shape.width().taps();
        rowBytes = channels * shape.taps();
        pitch = (rowBytes + 3) / 4 * 4;
    }

    /** Bytes of a row. */
    long rowBytes() {
        return rowBytes;
    }

    /** Bytes of a row of taps. */
    long tapRowBytes() {
        return tapRowBytes;
    }

    /** From one row to the next: whole fours, so that products read rows as they are. */
    long pitch() {
        return pitch;
    }

    /** Calls of one thread, for one group. */
    final class Writer {
        private final RunCopies.Calls calls;
        private final long in;
        private final long stride;
        private final long fill;

        /**
         * @param in the first channel of the group of the first pixel
         * @param stride bytes from a pixel to the next
         * @param fill bytes for a row of taps that is not there
         */
        Writer(Memory memory, long in, long stride, long fill) {
            calls = copies.in(memory);
            this.in = in;
            this.stride = stride;
            this.fill = fill;
        }

        /** The windows of some output pixels, counted over all rows, planes and images. */
        void write(long firstPixel, long endPixel, long rows) {
            int width = shape.width().out();
            long pixel = firstPixel;
            long to = rows;
            while (pixel < endPixel) {
                int x = (int) (pixel % width);
                int count = (int) Math.min(width - x, endPixel - pixel);
                row(pixel / width, x, x + count, to);
                pixel += count;
                to += count * pitch;
            }
        }

        private void row(long number, int first, int end, long to) {
            Axis height = shape.height();
            Axis depth = shape.depth();
            int y = (int) (number % height.out());
            long plane = number / height.out();
            int z = (int) (plane % depth.out());
            long image = plane / depth.out();
            long at = to;
            for (int tapZ = 0; tapZ < depth.taps(); tapZ++) {
                int inZ = depth.start(z) + tapZ * depth.dilation();
                for (int tapY = 0; tapY < height.taps(); tapY++) {
                    int inY = height.start(y) + tapY * height.dilation();
                    if (inZ < 0 || inZ >= depth.in() || inY < 0 || inY >= height.in()) {
                        copy(fill, 0, at, end - first, tapRowBytes);
                    } else {
                        long inRow = (image * depth.in() + inZ) * height.in() + inY;
                        taps(in + inRow * shape.width().in() * stride, first, end, at);
                    }
                    at += tapRowBytes;
                }
            }
        }

        /** A row of taps; where all of them are there and side by side, they are copied at once. */
        private void taps(long from, int first, int end, long to) {
            Axis width = shape.width();
            int whole = first;
            int endOfWhole = first;
            if (width.dilation() == 1 && stride == channels) {
                whole = Math.clamp(Math.ceilDiv(width.before(), width.stride()), first, end);
                int last = Math.floorDiv(width.in() - width.taps() + width.before(), width.stride());
                endOfWhole = Math.clamp(last + 1L, whole, end);
            }
            eachTap(from, first, whole, to);
            if (whole < endOfWhole) {
                long start = from + width.start(whole) * stride;
                long at = to + (whole - first) * pitch;
                copy(start, width.stride() * stride, at, endOfWhole - whole, tapRowBytes);
            }
            eachTap(from, endOfWhole, end, to + (endOfWhole - first) * pitch);
        }

        private void eachTap(long from, int first, int end, long to) {
            Axis width = shape.width();
            for (int tap = 0; tap < width.taps() && first < end; tap++) {
                int offset = tap * width.dilation() - width.before();
                int there = Math.clamp(Math.ceilDiv(-offset, width.stride()), first, end);
                int endOfThere = Math.clamp(Math.floorDiv(width.in() - 1 - offset, width.stride()) + 1L, there, end);
                long at = to + tap * channels;
                copy(fill, 0, at, there - first, channels);
                copy(
                        from + (there * width.stride() + offset) * stride,
                        width.stride() * stride,
                        at + (there - first) * pitch,
                        endOfThere - there,
                        channels);
                copy(fill, 0, at + (endOfThere - first) * pitch, end - endOfThere, channels);
            }
        }

        private void copy(long from, long step, long to, int count, long bytes) {
            if (count > 0) {
                calls.copy(from, step, to, pitch, count, bytes);
            }
        }
    }
}
