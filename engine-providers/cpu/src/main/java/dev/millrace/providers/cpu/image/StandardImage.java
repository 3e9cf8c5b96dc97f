package dev.millrace.providers.cpu.image;

import dev.millrace.providers.cpu.image.source.ImageLimits;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;
import org.jspecify.annotations.Nullable;

/**
 * The decoder of the formats that the JDK supports. Extents are checked before pixels are read, and decoding stops when
 * the run is cancelled.
 */
final class StandardImage {
    private StandardImage() {}

    /**
     * Returns the image of a file, or null where no decoder knows its format.
     *
     * @param check throws where the run is cancelled
     */
    static @Nullable BufferedImage read(byte[] file, Runnable check) throws IOException {
        JpegScans.require(file, check);
        var stop = new DecoderStop(check);
        // not ImageIO.createImageInputStream, which keeps what it reads in a temporary file
        try (ImageInputStream in = new MemoryCacheImageInputStream(stop.reading(file))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            // a format's look at the first bytes fails without a word where the run is cancelled
            stop.rethrow();
            return readers.hasNext() ? read(readers.next(), in, file.length, stop) : null;
        } catch (IOException e) {
            stop.rethrow();
            throw e;
        }
    }

    private static BufferedImage read(ImageReader reader, ImageInputStream in, int bytes, DecoderStop stop)
            throws IOException {
        try {
            reader.setInput(in, true, true);
            requireBounded(reader, bytes);
            reader.addIIOReadProgressListener(stop);
            reader.addIIOReadUpdateListener(stop);
            BufferedImage image = meant(() -> reader.read(0));
            stop.rethrow();
            return image;
        } finally {
            reader.dispose();
        }
    }

    private static void requireBounded(ImageReader reader, int bytes) throws IOException {
        ImageLimits.pixels(meant(() -> reader.getWidth(0)), meant(() -> reader.getHeight(0)), bytes);
        // a tile of a TIFF file may be larger than its image
        ImageLimits.pixels(meant(() -> reader.getTileWidth(0)), meant(() -> reader.getTileHeight(0)), bytes);
    }

    /** A call of a decoder. */
    @FunctionalInterface
    private interface Call<T> {
        T make() throws IOException;
    }

    /**
     * Returns the result of a call. The JDK's decoders throw any exception for broken images, without a helpful reason.
     */
    private static <T> T meant(Call<T> call) throws IOException {
        try {
            return call.make();
        } catch (RuntimeException e) {
            throw new IOException("its decoder fails with " + e, e);
        }
    }
}
