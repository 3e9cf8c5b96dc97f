package dev.millrace.providers.cpu.image.webp;

import dev.millrace.providers.cpu.image.source.Bytes;
import dev.millrace.providers.cpu.image.source.ImageLimits;
import java.awt.image.BufferedImage;
import java.util.ArrayDeque;
import java.util.Deque;

/** An image of the lossless format: transforms to be undone, and pixels. */
final class Lossless {
    private static final int SIGNATURE = 0x2f;

    private Lossless() {}

    static BufferedImage read(Bytes bytes) {
        var in = new LosslessBits(bytes);
        int signature = in.read(8);
        int width = in.read(14) + 1;
        int height = in.read(14) + 1;
        in.read(1);
        if (signature != SIGNATURE || in.read(3) != 0) {
            throw new IllegalArgumentException("the lossless data does not begin with its signature and version 0");
        }
        ImageLimits.pixels(width, height, in.fileBytes());
        var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        image.getRaster().setDataElements(0, 0, width, height, pixels(in, width, height));
        return image;
    }

    private static int[] pixels(LosslessBits in, int width, int height) {
        Deque<LosslessTransform> transforms = new ArrayDeque<>();
        int packed = width;
        int seen = 0;
        while (in.flag()) {
            int kind = in.read(2);
            if ((seen >> kind & 1) == 1) {
                throw new IllegalArgumentException("transform " + kind + " of a lossless image occurs twice");
            }
            seen |= 1 << kind;
            LosslessTransform transform = LosslessTransform.read(kind, in, packed, height);
            transforms.push(transform);
            packed = transform.packedWidth();
        }
        int[] pixels = new LosslessPixels(in, packed, height, true).read();
        for (LosslessTransform transform : transforms) {
            pixels = transform.undo(pixels, height, in::check);
        }
        return pixels;
    }
}
