package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;
import java.awt.image.BufferedImage;
import org.jspecify.annotations.Nullable;

/** The reader of JPEG 2000 images: files of boxes, and bare codestreams. Alpha is dropped. */
public final class Jpeg2000 {
    private static final int HEADER = 0x6a703268;
    private static final int COLOUR = 0x636f6c72;
    private static final int PALETTE = 0x70636c72;
    private static final int MAPPING = 0x636d6170;
    private static final int CHANNELS = 0x63646566;
    private static final int CODESTREAM = 0x6a703263;
    private static final int LUMA_AND_CHROMA = 18;

    private @Nullable Palette palette;
    private boolean chroma;
    /** The channels of red, green and blue. */
    private final int[] colours = {0, 1, 2};

    private Jpeg2000() {}

    /** @param check throws where the run is cancelled */
    public static BufferedImage read(byte[] file, Runnable check) {
        Bytes bytes = Bytes.of(file, check);
        if (bytes.peek() == 0xff) {
            return new Jpeg2000().pixels(Codestream.read(bytes), check);
        }
        return new Jpeg2000().boxes(bytes);
    }

    private BufferedImage boxes(Bytes bytes) {
        while (bytes.remaining() > 0) {
            long length = bytes.big32();
            int kind = (int) bytes.big32();
            long before = 8;
            if (length == 1) {
                length = bytes.big32() << 32 | bytes.big32();
                before = 16;
            }
            Bytes content = bytes.take(length == 0 ? bytes.remaining() : length - before);
            switch (kind) {
                case HEADER -> header(content);
                case CODESTREAM -> {
                    return pixels(Codestream.read(content), content::check);
                }
                default -> {}
            }
        }
        throw new IllegalArgumentException("no box of the file is a codestream");
    }

    private void header(Bytes boxes) {
        while (boxes.remaining() > 0) {
            long length = boxes.big32();
            int kind = (int) boxes.big32();
            Bytes content = boxes.take(length == 0 ? boxes.remaining() : length - 8);
            switch (kind) {
                case COLOUR -> {
                    boolean listed = content.octet() == 1;
                    content.skip(2);
                    chroma |= listed && content.big32() == LUMA_AND_CHROMA;
                }
                case PALETTE -> palette = Palette.read(content);
                case MAPPING -> {
                    if (palette != null) {
                        palette.readMapping(content);
                    }
                }
                case CHANNELS -> channels(content);
                default -> {}
            }
        }
    }

    private void channels(Bytes content) {
        int count = content.big16();
        for (int i = 0; i < count; i++) {
            int channel = content.big16();
            boolean colour = content.big16() == 0;
            int which = content.big16();
            if (colour && which >= 1 && which <= 3) {
                colours[which - 1] = channel;
            }
        }
    }

    private BufferedImage pixels(Codestream.Image decoded, Runnable check) {
        Channel[] channels = palette != null ? palette.channels(decoded) : Channel.all(decoded);
        boolean grey = channels.length < 3;
        chroma |= channels.length == 3 && channels[1].isCoarserThan(channels[0]);
        Area area = decoded.size().image();
        var image = new BufferedImage(area.width(), area.height(), BufferedImage.TYPE_INT_RGB);
        int[] row = new int[area.width()];
        for (int y = 0; y < area.height(); y++) {
            check.run();
            for (int x = 0; x < row.length; x++) {
                if (grey) {
                    row[x] = 0x010101 * channel(channels, 0).at(x, y);
                } else {
                    int red = channel(channels, 0).at(x, y);
                    int green = channel(channels, 1).at(x, y);
                    int blue = channel(channels, 2).at(x, y);
                    row[x] = chroma ? rgb(red, green - 128, blue - 128) : red << 16 | green << 8 | blue;
                }
            }
            image.getRaster().setDataElements(0, y, row.length, 1, row);
        }
        return image;
    }

    private Channel channel(Channel[] channels, int colour) {
        int channel = colours[colour];
        if (channel >= channels.length) {
            throw new IllegalArgumentException(
                    "colour " + colour + " is channel " + channel + " of " + channels.length);
        }
        return channels[channel];
    }

    /** Converts by ITU-R BT.601, for luma of the full range. */
    private static int rgb(int luma, int u, int v) {
        int red = (int) Math.rint(luma + 1.402 * v);
        int green = (int) Math.rint(luma - 0.344136 * u - 0.714136 * v);
        int blue = (int) Math.rint(luma + 1.772 * u);
        return Math.clamp(red, 0, 255) << 16 | Math.clamp(green, 0, 255) << 8 | Math.clamp(blue, 0, 255);
    }
}
