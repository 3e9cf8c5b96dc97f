package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.layout.RunCopies;

/**
 * Copies of those rows and columns of images that some windows see, with what is outside of the image: from then on all
 * windows are alike. Pixels lie side by side in a copy.
 *
 * @param channels of a pixel that are copied
 */
record PaddedBand(Axis height, Axis width, int channels) {
    /** What the windows of so many outputs reach over. */
    private static long reach(Axis axis, long outputs) {
        return Math.max(0, outputs - 1) * axis.stride() + (axis.taps() - 1L) * axis.dilation() + 1;
    }

    /** Rows of the input for some rows of outputs. */
    long rows(long outRows) {
        return reach(height, outRows);
    }

    /** Bytes of a row for some columns of outputs. */
    long rowBytes(long outColumns) {
        return reach(width, outColumns) * channels;
    }

    /** Copies of one thread. */
    final class Writer {
        private final RunCopies.Calls calls;
        private final long in;
        private final long stride;
        private final long outside;

        /**
         * @param in the first channel of the first pixel
         * @param stride bytes from a pixel to the next
         * @param outside what a row is that is not there, as long as any row that is asked for
         */
        Writer(RunCopies.Calls calls, long in, long stride, long outside) {
            this.calls = calls;
            this.in = in;
            this.stride = stride;
            this.outside = outside;
        }

        /** Copies what the windows of a block of outputs see of a plane of the input. */
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

        /** The same for a plane that is not there. */
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
