package dev.millrace.providers.cpu.image.webp;

import dev.millrace.providers.cpu.image.source.Bytes;
import dev.millrace.providers.cpu.image.source.ImageLimits;
import java.awt.image.BufferedImage;

/** A key frame of VP8. */
final class Vp8Frame {
    private static final int START_CODE = 0x2a019d;

    private final int columns;
    private final int rows;
    private final FrameHeader header;
    private final BooleanDecoder modes;
    private final BooleanDecoder[] tokens;
    /** Luma and the two planes of chroma, of half the extents. */
    private final Samples[] planes;

    private final Prediction prediction = new Prediction();
    private final int[] right = new int[4];
    private final Bytes bytes;

    private Vp8Frame(int width, int height, Bytes first, Bytes rest) {
        bytes = rest;
        columns = (width + 15) / 16;
        rows = (height + 15) / 16;
        // The modes of a macroblock take more than a bit.
        if ((long) columns * rows > 8L * (first.remaining() + 2)) {
            throw new IllegalArgumentException("a frame of " + width + " × " + height + " pixels whose modes take "
                    + first.remaining() + " bytes; it needs " + (columns * rows + 7) / 8 + " or more");
        }
        modes = new BooleanDecoder(first);
        header = new FrameHeader(modes);
        tokens = partitions(rest, header.partitions);
        planes = new Samples[] {
            new Samples(16 * columns, 16 * rows), new Samples(8 * columns, 8 * rows), new Samples(8 * columns, 8 * rows)
        };
    }

    static BufferedImage read(Bytes bytes) {
        int tag = bytes.little24();
        boolean key = (tag & 1) == 0;
        boolean shown = (tag >> 4 & 1) == 1;
        if (!key || !shown || (tag >> 1 & 7) > 3 || bytes.little24() != START_CODE) {
            throw new IllegalArgumentException("the VP8 data does not begin with a key frame that is shown");
        }
        int width = bytes.little16() & 0x3fff;
        int height = bytes.little16() & 0x3fff;
        ImageLimits.pixels(width, height, bytes.array().length);
        var frame = new Vp8Frame(width, height, bytes.take(tag >> 5), bytes);
        frame.decode();
        return YuvToRgb.image(frame.planes, width, height, bytes::check);
    }

    private static BooleanDecoder[] partitions(Bytes bytes, int count) {
        long[] sizes = new long[count - 1];
        for (int i = 0; i < sizes.length; i++) {
            sizes[i] = bytes.little24();
        }
        var partitions = new BooleanDecoder[count];
        for (int i = 0; i < sizes.length; i++) {
            partitions[i] = new BooleanDecoder(bytes.take(sizes[i]));
        }
        partitions[count - 1] = new BooleanDecoder(bytes);
        return partitions;
    }

    /** Predictions go by what is not smoothed yet, so smoothing waits until all is decoded. */
    private void decode() {
        var strengths = new FilterStrength[columns * rows];
        boolean[] inside = new boolean[columns * rows];
        byte[] above = new byte[4 * columns];
        var residuals = new Residuals(header.coefficients, columns);
        var block = new Macroblock();
        for (int row = 0; row < rows; row++) {
            bytes.check();
            byte[] left = new byte[4];
            residuals.startRow();
            for (int column = 0; column < columns; column++) {
                block.readModes(header, modes, above, column, left);
                FrameHeader.Segment segment = header.segments[block.segment];
                boolean any = residuals.read(block, column, segment.quantizer(), tokens[row % tokens.length]);
                int at = row * columns + column;
                strengths[at] = block.parted ? segment.parted() : segment.whole();
                inside[at] = any || block.parted;
                rebuild(block, column, row, any);
            }
        }
        var filter = new LoopFilter(header.simpleFilter);
        for (int at = 0; at < strengths.length; at++) {
            if (at % columns == 0) {
                bytes.check();
            }
            filter.smooth(planes, at % columns, at / columns, strengths[at], inside[at]);
        }
    }

    private void rebuild(Macroblock block, int column, int row, boolean any) {
        Samples luma = planes[0];
        int x = 16 * column;
        int y = 16 * row;
        if (block.parted) {
            for (int i = 0; i < 4; i++) {
                right[i] = row == 0 ? 127 : luma.get(Math.min(x + 16 + i, 16 * columns - 1), y - 1);
            }
        } else {
            Prediction.whole(luma, block.lumaMode, x, y, 16);
        }
        for (int i = 0; i < 16; i++) {
            int left = x + i % 4 * 4;
            int top = y + i / 4 * 4;
            if (block.parted) {
                prediction.block(luma, block.blockModes[i], left, top, aboveRight(luma, left, top, i));
            }
            if (any) {
                InverseTransforms.add(block.coefficients, 16 * i, luma, left, top);
            }
        }
        for (int p = 1; p < 3; p++) {
            Prediction.whole(planes[p], block.chromaMode, x / 2, y / 2, 8);
            for (int i = 0; any && i < 4; i++) {
                InverseTransforms.add(
                        block.coefficients, 16 * (12 + 4 * p + i), planes[p], x / 2 + i % 2 * 4, y / 2 + i / 2 * 4);
            }
        }
    }

    /** The four samples above a block on the right; those of the last column are above the macroblock in all rows. */
    private int[] aboveRight(Samples luma, int left, int top, int block) {
        if (block % 4 == 3) {
            return right;
        }
        int[] samples = new int[4];
        for (int i = 0; i < 4; i++) {
            samples[i] = luma.get(left + 4 + i, top - 1);
        }
        return samples;
    }
}
