package dev.millrace.providers.cpu.image.webp;

import java.awt.image.BufferedImage;

/** The conversion of luma and two planes of chroma at half the extents, which are interpolated, to RGB pixels. */
final class YuvToRgb {
    private YuvToRgb() {}

    static BufferedImage image(Samples[] planes, int width, int height, Runnable check) {
        var image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        int[] row = new int[width];
        int lastX = (width - 1) / 2;
        int lastY = (height - 1) / 2;
        for (int y = 0; y < height; y++) {
            check.run();
            int nearY = y / 2;
            int farY = Math.clamp(nearY + (y % 2 == 0 ? -1 : 1), 0, lastY);
            for (int x = 0; x < width; x++) {
                int nearX = x / 2;
                int farX = Math.clamp(nearX + (x % 2 == 0 ? -1 : 1), 0, lastX);
                int u = between(planes[1], nearX, nearY, farX, farY);
                int v = between(planes[2], nearX, nearY, farX, farY);
                row[x] = rgb(planes[0].get(x, y), u, v);
            }
            image.getRaster().setDataElements(0, y, width, 1, row);
        }
        return image;
    }

    /**
     * Interpolates chroma: nine sixteenths of the nearest sample, three of either neighbour, one of the farthest,
     * rounded twice.
     */
    private static int between(Samples plane, int nearX, int nearY, int farX, int farY) {
        int near = plane.get(nearX, nearY);
        int beside = plane.get(farX, nearY);
        int below = plane.get(nearX, farY);
        int far = plane.get(farX, farY);
        return (((near + 3 * beside + 3 * below + far + 8) >> 3) + near) >> 1;
    }

    /** Converts by ITU-R BT.601, for luma of 16 to 235, in 256ths and then 64ths. */
    private static int rgb(int y, int u, int v) {
        int luma = (19077 * y) >> 8;
        int red = luma + ((26149 * v) >> 8) - 14234;
        int green = luma - ((6419 * u) >> 8) - ((13320 * v) >> 8) + 8708;
        int blue = luma + ((33050 * u) >> 8) - 17685;
        return Samples.clip(red >> 6) << 16 | Samples.clip(green >> 6) << 8 | Samples.clip(blue >> 6);
    }
}
