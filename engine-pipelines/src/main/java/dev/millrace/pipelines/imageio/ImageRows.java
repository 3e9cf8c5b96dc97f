package dev.millrace.pipelines.imageio;

import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;

/** The rows of an image of AWT as red, green and blue bytes, without transparency. */
interface ImageRows {
    int CHANNELS = 3;
    int OPAQUE = 255;
    int INKS = 4;

    /** Writes a row's pixels from an index on. */
    void read(int y, byte[] pixels, int at);

    /** Returns the reader for the pixels of an image. */
    static ImageRows of(BufferedImage image) {
        int type = image.getColorModel().getColorSpace().getType();
        int bands = image.getRaster().getNumBands();
        boolean hasSamples = image.getColorModel() instanceof ComponentColorModel;
        if (hasSamples && type == ColorSpace.TYPE_GRAY && bands <= 2) {
            return greys(image, bands == 2);
        }
        return hasSamples && type == ColorSpace.TYPE_CMYK && bands == INKS ? inks(image) : colours(image);
    }

    /** The number from 0 to 255 for a colour that covers white with an opacity from 0 to 255. */
    private static byte onWhite(int value, int alpha) {
        return (byte) ((value * alpha + OPAQUE * (OPAQUE - alpha) + OPAQUE / 2) / OPAQUE);
    }

    private static ImageRows colours(BufferedImage image) {
        int[] row = new int[image.getWidth()];
        return (y, pixels, at) -> {
            image.getRGB(0, y, row.length, 1, row, 0, row.length);
            for (int x = 0; x < row.length; x++) {
                for (int channel = 0; channel < CHANNELS; channel++) {
                    pixels[at + x * CHANNELS + channel] = onWhite(row[x] >> 16 - 8 * channel & OPAQUE, row[x] >>> 24);
                }
            }
        };
    }

    /** Reads the samples of one row, each as a number from 0 to 255. */
    private static void samples(BufferedImage image, int y, int[] row) {
        Raster raster = image.getRaster();
        raster.getPixels(0, y, image.getWidth(), 1, row);
        if (raster.getDataBuffer().getDataType() != DataBuffer.TYPE_BYTE) {
            int most = (1 << image.getColorModel().getComponentSize(0)) - 1;
            for (int i = 0; i < row.length; i++) {
                row[i] = (int) (((long) row[i] * OPAQUE + most / 2) / most);
            }
        }
    }

    private static ImageRows greys(BufferedImage image, boolean hasAlpha) {
        int bands = hasAlpha ? 2 : 1;
        int[] row = new int[image.getWidth() * bands];
        return (y, pixels, at) -> {
            samples(image, y, row);
            for (int x = 0; x < image.getWidth(); x++) {
                byte grey = onWhite(row[x * bands], hasAlpha ? row[x * bands + 1] : OPAQUE);
                for (int channel = 0; channel < CHANNELS; channel++) {
                    pixels[at + x * CHANNELS + channel] = grey;
                }
            }
        };
    }

    /** Reads cyan, magenta, yellow and black: a colour is what its ink and the black ink leave of white. */
    private static ImageRows inks(BufferedImage image) {
        int[] row = new int[image.getWidth() * INKS];
        return (y, pixels, at) -> {
            samples(image, y, row);
            for (int x = 0; x < image.getWidth(); x++) {
                int paper = OPAQUE - row[x * INKS + CHANNELS];
                for (int channel = 0; channel < CHANNELS; channel++) {
                    int left = (OPAQUE - row[x * INKS + channel]) * paper;
                    pixels[at + x * CHANNELS + channel] = (byte) ((left + OPAQUE / 2) / OPAQUE);
                }
            }
        };
    }
}
