package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadProgressListener;
import javax.imageio.event.IIOReadUpdateListener;
import org.jspecify.annotations.Nullable;

/**
 * The cancellation of a decoder of the JDK. The run is checked after each row, and for each few kilobytes that the decoder
 * reads: a JPEG file of several sequential scans is read to its end before there is a row. Where the decoder reports a row
 * it may hold native locks, so it is stopped by {@link ImageReader#abort()} there; where it reads, by an exception.
 */
final class DecoderStop implements IIOReadProgressListener, IIOReadUpdateListener {
    private final Runnable check;
    private @Nullable EngineException stopped;

    /** @param check throws where the run is cancelled */
    DecoderStop(Runnable check) {
        this.check = check;
    }

    /** Throws what the check threw, if it did. */
    void rethrow() {
        if (stopped != null) {
            throw stopped;
        }
    }

    private boolean isOver() {
        if (stopped == null) {
            try {
                check.run();
            } catch (EngineException e) {
                stopped = e;
            }
        }
        return stopped != null;
    }

    private void abortIfOver(ImageReader source) {
        if (isOver()) {
            source.abort();
        }
    }

    /** Returns the content of a file, whose reading fails once the run is cancelled. */
    InputStream reading(byte[] file) {
        return new FilterInputStream(new ByteArrayInputStream(file)) {
            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                if (isOver()) {
                    throw new InterruptedIOException("the run is cancelled");
                }
                return super.read(to, offset, length);
            }
        };
    }

    @Override
    public void imageStarted(ImageReader source, int imageIndex) {
        abortIfOver(source);
    }

    @Override
    public void imageProgress(ImageReader source, float percentageDone) {
        abortIfOver(source);
    }

    @Override
    public void imageUpdate(
            ImageReader source,
            BufferedImage image,
            int minX,
            int minY,
            int width,
            int height,
            int periodX,
            int periodY,
            int[] bands) {
        abortIfOver(source);
    }

    @Override
    public void sequenceStarted(ImageReader source, int minIndex) {}

    @Override
    public void sequenceComplete(ImageReader source) {}

    @Override
    public void imageComplete(ImageReader source) {}

    @Override
    public void readAborted(ImageReader source) {}

    @Override
    public void passStarted(
            ImageReader source,
            BufferedImage image,
            int pass,
            int minPass,
            int maxPass,
            int minX,
            int minY,
            int periodX,
            int periodY,
            int[] bands) {}

    @Override
    public void passComplete(ImageReader source, BufferedImage image) {}

    @Override
    public void thumbnailStarted(ImageReader source, int imageIndex, int thumbnailIndex) {}

    @Override
    public void thumbnailProgress(ImageReader source, float percentageDone) {}

    @Override
    public void thumbnailComplete(ImageReader source) {}

    @Override
    public void thumbnailPassStarted(
            ImageReader source,
            BufferedImage thumbnail,
            int pass,
            int minPass,
            int maxPass,
            int minX,
            int minY,
            int periodX,
            int periodY,
            int[] bands) {}

    @Override
    public void thumbnailUpdate(
            ImageReader source,
            BufferedImage thumbnail,
            int minX,
            int minY,
            int width,
            int height,
            int periodX,
            int periodY,
            int[] bands) {}

    @Override
    public void thumbnailPassComplete(ImageReader source, BufferedImage thumbnail) {}
}
