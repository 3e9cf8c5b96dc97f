package dev.millrace.pipelines.imageio;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.pipelines.image.RgbImage;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Images from files, by the JDK's ImageIO, and from AWT. Transparent pixels lie on white. Grey values and inks become colours by their
 * numbers, as PIL and OpenCV compute them, and not by AWT's linear colour space, which makes grey images brighter.
 */
public final class ImageFiles {
    private static final int CHANNELS = 3;

    private ImageFiles() {}

    /**
     * Reads a file of a format that ImageIO knows: JPEG, PNG, BMP, GIF, TIFF and WBMP without plug-ins. A photograph is turned as its
     * camera was held (the orientation of Exif in JPEG files).
     */
    public static RgbImage read(Path file) throws IOException {
        byte[] content = Files.readAllBytes(StageArguments.require(file, "file"));
        try {
            return decode(content);
        } catch (EngineException e) {
            throw e.at("image " + file);
        }
    }

    /** Decodes the content of such a file. A file that ends early or is damaged is refused. */
    public static RgbImage decode(byte[] content) {
        StageArguments.require(content, "content");
        return ExifOrientation.upright(of(ImageIoDecoder.decode(content)), ExifOrientation.of(content));
    }

    /** Returns an image of AWT as bytes. */
    public static RgbImage of(BufferedImage image) {
        int width = StageArguments.require(image, "image").getWidth();
        int height = image.getHeight();
        byte[] pixels = new byte[Math.multiplyExact(Math.multiplyExact(width, height), CHANNELS)];
        ImageRows rows = ImageRows.of(image);
        for (int y = 0; y < height; y++) {
            rows.read(y, pixels, y * width * CHANNELS);
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
