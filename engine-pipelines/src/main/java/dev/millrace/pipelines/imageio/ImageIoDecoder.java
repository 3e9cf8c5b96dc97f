package dev.millrace.pipelines.imageio;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.Locale;
import javax.imageio.ImageIO;
import javax.imageio.ImageReader;
import javax.imageio.event.IIOReadWarningListener;
import javax.imageio.stream.ImageInputStream;
import javax.imageio.stream.MemoryCacheImageInputStream;

/** The decoding of image files by ImageIO. */
final class ImageIoDecoder {
    /** The bytes of a file that an error shows. */
    private static final int SHOWN = 8;
    /** The largest number of pixels whose red, green and blue bytes fit an array. */
    private static final long MOST_PIXELS = (Integer.MAX_VALUE - 8) / 3;

    private ImageIoDecoder() {}

    /** Remembers whether pixels of a JPEG file are missing, of which its decoder only warns. */
    private static final class EarlyEnd implements IIOReadWarningListener {
        private boolean met;

        @Override
        public void warningOccurred(ImageReader source, String warning) {
            met |= warning.contains("premature end");
        }
    }

    static BufferedImage decode(byte[] content) {
        // not ImageIO.createImageInputStream, which keeps what it reads in a temporary file
        try (ImageInputStream in = new MemoryCacheImageInputStream(new ByteArrayInputStream(content))) {
            Iterator<ImageReader> readers = ImageIO.getImageReaders(in);
            if (readers.hasNext()) {
                return decode(readers.next(), in, content.length);
            }
        } catch (IOException e) {
            throw EngineException.wrap(Status.INVALID_ARGUMENT, broken("", content.length), e);
        }
        throw EngineException.invalidArgument(unknown(content));
    }

    private static BufferedImage decode(ImageReader reader, ImageInputStream in, int bytes) throws IOException {
        String format = reader.getOriginatingProvider().getFormatNames()[0].toUpperCase(Locale.ROOT) + " ";
        try {
            reader.setInput(in, true, true);
            long pixels = (long) reader.getWidth(0) * reader.getHeight(0);
            if (pixels > MOST_PIXELS) {
                throw EngineException.invalidArgument("an image of " + reader.getWidth(0) + "x" + reader.getHeight(0)
                        + " pixels has more than " + MOST_PIXELS + " of them");
            }
            var end = new EarlyEnd();
            reader.addIIOReadWarningListener(end);
            BufferedImage image = reader.read(0);
            if (end.met) {
                throw EngineException.invalidArgument(broken(format, bytes) + ": it ends early");
            }
            return image;
        } catch (EngineException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            // the JDK's decoders throw any exception for broken images
            throw EngineException.wrap(Status.INVALID_ARGUMENT, broken(format, bytes), e);
        } finally {
            reader.dispose();
        }
    }

    private static String broken(String format, int bytes) {
        return "the " + format + "image of " + bytes + " bytes is damaged or cut off";
    }

    private static String unknown(byte[] content) {
        if (content.length == 0) {
            return "the image is empty: it has no bytes";
        }
        String first = HexFormat.ofDelimiter(" ").formatHex(content, 0, Math.min(SHOWN, content.length));
        return "no reader of ImageIO knows the format of these " + content.length + " bytes, which begin with " + first
                + "; without plug-ins it reads JPEG, PNG, BMP, GIF, TIFF and WBMP";
    }
}
