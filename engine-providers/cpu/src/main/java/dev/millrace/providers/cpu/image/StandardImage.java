package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.cpu.image.source.ImageLimits;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Iterator;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadProgressListener;
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
        // not ImageIO.createImageInputStream, which keeps what it reads in a temporary file
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(file))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            return readers.hasNext() ? read(readers.next(), in, file.length, check) : null;
        }
    }

    private static BufferedImage read(ImageReader reader, ImageInputStream in, int bytes, Runnable check)
            throws IOException {
        try {
            reader.setInput(in, true, true);
            requireBounded(reader, bytes);
            var progress = new Progress(check);
            reader.addIIOReadProgressListener(progress);
            BufferedImage image = meant(() -> reader.read(0));
            progress.rethrow();
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

    /** A listener that stops a reader by {@link ImageReader#abort()}, since it may hold native locks where it calls. */
    private static final class Progress implements IIOReadProgressListener {
        private final Runnable check;
        private @Nullable EngineException stopped;

        Progress(Runnable check) {
            this.check = check;
        }

        void rethrow() {
            if (stopped != null) {
                throw stopped;
            }
        }

        private void check(ImageReader source) {
            try {
                check.run();
            } catch (EngineException e) {
                stopped = e;
                source.abort();
            }
        }

        @Override
        public void imageProgress(ImageReader source, float percentageDone) {
            check(source);
        }

        @Override
        public void imageStarted(ImageReader source, int imageIndex) {
            check(source);
        }

        @Override
        public void sequenceStarted(ImageReader source, int minIndex) {}

        @Override
        public void sequenceComplete(ImageReader source) {}

        @Override
        public void imageComplete(ImageReader source) {}

        @Override
        public void thumbnailStarted(ImageReader source, int imageIndex, int thumbnailIndex) {}

        @Override
        public void thumbnailProgress(ImageReader source, float percentageDone) {}

        @Override
        public void thumbnailComplete(ImageReader source) {}

        @Override
        public void readAborted(ImageReader source) {}
    }
}
