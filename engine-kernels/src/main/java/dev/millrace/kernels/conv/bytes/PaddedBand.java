package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.layout.RunCopies;

/**
 * Copies of the rows and columns of images that some windows read, with padding where these lie outside of the image.
 * All windows are then computed alike. The pixels of a copy are contiguous.
 *
 * @param channels channels of a pixel that are copied
 */
record PaddedBand(Axis height, Axis width, int channels) {
    /** Returns the number of inputs along an axis that the windows of some outputs span. */
    private static long reach(Axis axis, long outputs) {
        return Math.max(0, outputs - 1) * axis.stride() + (axis.taps() - 1L) * axis.dilation() + 1;
    }

    /** The number of input rows for some rows of outputs. */
    long rows(long outRows) {
        return reach(height, outRows);
    }

    /** Bytes of a copied row for some columns of outputs. */
    long rowBytes(long outColumns) {
        return reach(width, outColumns) * channels;
    }

    /** The writer of copies on one thread. */
    final class Writer {
        private final RunCopies.Calls calls;
        private final long in;
        private final long stride;
        private final long outside;

        /**
         * @param in the address of the first channel of the first pixel
         * @param stride bytes from a pixel to the next
         * @param outside the address of a row of padding, as long as the longest row of a copy
         */
        Writer(RunCopies.Calls calls, long in, long stride, long outside) {
            this.calls = calls;
            this.in = in;
            this.stride = stride;
            this.outside = outside;
        }

        /** Copies the part of an input plane that the windows of a block of outputs read. */
        void write(long plane, OutputBlocks.Block block, long to) {
            int first = height.start(block.row());
            int count = (int) rows(block.rows());
            int above = Math.clamp(-first, 0, count);
            int there = Math.clamp((long) height.in() - Math.max(0, first), 0, count - above);
            long pitch = rowBytes(block.columns());
            copy(outside, 0, to, pitch, above, pitch);
            inside(plane * height.in() + first + above, there, block, to + above * pitch);
            copy(outside, 0, to + (above + there) * pitch, pitch, count - above - there, pitch);
        }

        /** Writes the copy for a plane outside of the image: padding only. */
        void writeOutside(OutputBlocks.Block block, long to) {
            long pitch = rowBytes(block.columns());
            copy(outside, 0, to, pitch, (int) rows(block.rows()), pitch);
        }

        private void inside(long inRow, int rows, OutputBlocks.Block block, long to) {
            int first = width.start(block.column());
            int count = (int) reach(width, block.columns());
            int left = Math.clamp(-first, 0, count);
            int there = Math.clamp((long) width.in() - Math.max(0, first), 0, count - left);
            long pitch = rowBytes(block.columns());
            long start = to + (long) left * channels;
            copy(outside, 0, to, pitch, rows, (long) left * channels);
            long end = start + (long) there * channels;
            copy(outside, 0, end, pitch, rows, (long) (count - left - there) * channels);
            long from = in + (inRow * width.in() + first + left) * stride;
            long rowStep = width.in() * stride;
            if (stride == channels) {
                copy(from, rowStep, start, pitch, rows, (long) there * channels);
                return;
            }
            for (int row = 0; row < rows; row++) {
                copy(from + row * rowStep, stride, start + row * pitch, channels, there, channels);
            }
        }

        private void copy(long from, long step, long to, long pitch, int count, long bytes) {
            if (count > 0 && bytes > 0) {
                calls.copy(from, step, to, pitch, count, bytes);
            }
        }
    }
}
