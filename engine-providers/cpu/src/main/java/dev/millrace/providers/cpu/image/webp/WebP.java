package dev.millrace.providers.cpu.image.webp;

import dev.millrace.providers.cpu.image.source.Bytes;
import dev.millrace.providers.cpu.image.source.ImageLimits;
import java.awt.image.BufferedImage;

/** The container of WebP. Alpha is left out; of an animation the first frame is read, on black. */
public final class WebP {
    private static final int LOSSY = tag("VP8 ");
    private static final int LOSSLESS = tag("VP8L");
    private static final int EXTENDED = tag("VP8X");
    private static final int FRAME = tag("ANMF");

    private int canvasWidth;
    private int canvasHeight;

    private WebP() {}

    /**
     * The image of a file that begins with RIFF, a size and WEBP.
     *
     * @param check throws where nobody waits for the image any more
     */
    public static BufferedImage read(byte[] file, Runnable check) {
        Bytes bytes = Bytes.of(file, check);
        bytes.skip(4);
        long size = bytes.little32();
        bytes.skip(4);
        return new WebP().image(bytes.take(size - 4), true);
    }

    private BufferedImage image(Bytes chunks, boolean outside) {
        while (chunks.remaining() > 0) {
            int tag = (int) chunks.big32();
            long size = chunks.little32();
            Bytes content = chunks.take(size);
            chunks.skip(Math.min(size & 1, chunks.remaining()));
            if (tag == LOSSY || tag == LOSSLESS) {
                return still(pixels(tag, content));
            }
            if (tag == EXTENDED && outside) {
                content.skip(4);
                canvasWidth = content.little24() + 1;
                canvasHeight = content.little24() + 1;
                ImageLimits.pixels(canvasWidth, canvasHeight, chunks.array().length);
            } else if (tag == FRAME && outside) {
                return frame(content);
            }
        }
        throw new IllegalArgumentException("no chunk of the file is an image");
    }

    private BufferedImage still(BufferedImage image) {
        if (canvasWidth != 0 && (canvasWidth != image.getWidth() || canvasHeight != image.getHeight())) {
            throw new IllegalArgumentException("an image of " + image.getWidth() + " × " + image.getHeight()
                    + " pixels on a canvas of " + canvasWidth + " × " + canvasHeight);
        }
        return image;
    }

    private BufferedImage frame(Bytes content) {
        int x = 2 * content.little24();
        int y = 2 * content.little24();
        int width = content.little24() + 1;
        int height = content.little24() + 1;
        content.skip(4);
        if (x + width > canvasWidth || y + height > canvasHeight) {
            throw new IllegalArgumentException("a frame of " + width + " × " + height + " pixels at (" + x + ", " + y
                    + ") of a canvas of " + canvasWidth + " × " + canvasHeight);
        }
        var canvas = new BufferedImage(canvasWidth, canvasHeight, BufferedImage.TYPE_INT_RGB);
        canvasWidth = width;
        canvasHeight = height;
        canvas.getRaster().setRect(x, y, image(content, false).getRaster());
        return canvas;
    }

    private static BufferedImage pixels(int tag, Bytes content) {
        return tag == LOSSY ? Vp8Frame.read(content) : Lossless.read(content);
    }

    private static int tag(String letters) {
        return letters.charAt(0) << 24 | letters.charAt(1) << 16 | letters.charAt(2) << 8 | letters.charAt(3);
    }
}
