package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.layout.RunCopies;

/**
 * The writer of im2col rows: the window of each output pixel becomes a row of bytes, tap by tap, with the channels of a
 * group. A convolution is a matrix product of these rows.
 */
final class WindowRows {
    private final ConvShape shape;
    private final long channels;
    private final long tapRowBytes;
    private final long rowBytes;
    private final long pitch;

    WindowRows(ConvShape shape) {
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

    /** Bytes of one row of taps in a window. */
    long tapRowBytes() {
        return tapRowBytes;
    }

    /** Bytes from one row to the next, rounded up to a multiple of four, so that products read rows as they are. */
    long pitch() {
        return pitch;
    }

    /**
     * Writes the parts of windows that are in one plane of the input.
     *
     * @param band the address of a {@link PaddedBand} of these outputs
     * @param bandPitch bytes of a row of it
     * @param tapPlane the index of this plane among the planes of taps
     * @param to the address of the row of the first pixel
     */
    void write(RunCopies.Calls calls, long band, long bandPitch, OutputBlocks.Block block, int tapPlane, long to) {
        int columns = block.columns();
        Axis height = shape.height();
        Axis width = shape.width();
        long step = width.stride() * channels;
        for (int row = 0; row < block.rows(); row++) {
            for (int tap = 0; tap < height.taps(); tap++) {
                long from = band + ((long) row * height.stride() + (long) tap * height.dilation()) * bandPitch;
                long at = to + (long) row * columns * pitch + ((long) tapPlane * height.taps() + tap) * tapRowBytes;
                if (width.dilation() == 1) {
                    calls.copy(from, step, at, pitch, columns, tapRowBytes);
                    continue;
                }
                for (int i = 0; i < width.taps(); i++) {
                    long distance = i * width.dilation() * channels;
                    calls.copy(from + distance, step, at + i * channels, pitch, columns, channels);
                }
            }
        }
    }
}
