package dev.millrace.pipelines.imageio;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.pipelines.image.RgbImage;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.imageio.ImageIO;

/** Images from files, by the JDK's ImageIO, and from AWT. Transparent pixels lie on white. */
public final class ImageFiles {
    private static final int CHANNELS = 3;
    private static final int OPAQUE = 255;

    private ImageFiles() {}

    /** Reads a file of a format that ImageIO knows: JPEG, PNG, BMP, GIF, TIFF and WBMP without plug-ins. */
    public static RgbImage read(Path file) throws IOException {
        return decode(Files.readAllBytes(StageArguments.require(file, "file")));
    }

    /** Decodes the content of such a file. */
    public static RgbImage decode(byte[] content) throws IOException {
        try (InputStream in = new ByteArrayInputStream(StageArguments.require(content, "content"))) {
            BufferedImage image = ImageIO.read(in);
            if (image == null) {
                throw EngineException.invalidArgument(
                        "no reader of ImageIO knows the format of these " + content.length + " bytes");
            }
            return of(image);
        }
    }

    /** Returns an image of AWT as bytes. */
    public static RgbImage of(BufferedImage image) {
        int width = StageArguments.require(image, "image").getWidth();
        int height = image.getHeight();
        byte[] pixels = new byte[Math.multiplyExact(Math.multiplyExact(width, height), CHANNELS)];
        int[] row = new int[width];
        for (int y = 0; y < height; y++) {
            image.getRGB(0, y, width, 1, row, 0, width);
            for (int x = 0; x < width; x++) {
                int alpha = row[x] >>> 24;
                for (int channel = 0; channel < CHANNELS; channel++) {
                    int value = row[x] >> 16 - 8 * channel & OPAQUE;
                    pixels[(y * width + x) * CHANNELS + channel] =
                            (byte) ((value * alpha + OPAQUE * (OPAQUE - alpha) + OPAQUE / 2) / OPAQUE);
                }
            }
        }
        return RgbImage.wrap(width, height, pixels);
    }

    /** Returns an image for AWT. */
    public static BufferedImage toBufferedImage(RgbImage image) {
        var made = new BufferedImage(
                StageArguments.require(image, "image").width(), image.height(), BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < image.height(); y++) {
            for (int x = 0; x < image.width(); x++) {
                int rgb = image.value(x, y, 0) << 16 | image.value(x, y, 1) << 8 | image.value(x, y, 2);
                made.setRGB(x, y, rgb);
            }
        }
        return made;
    }
}
