package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.StageArguments;
import java.util.Arrays;

/** An image of red, green and blue bytes, row by row. Its methods return new images and change none. */
public final class RgbImage {
    private static final int CHANNELS = 3;
    /** The largest number of pixels whose bytes fit an array. */
    private static final int MOST_PIXELS = (Integer.MAX_VALUE - 8) / CHANNELS;

    private final int width;
    private final int height;
    private final byte[] pixels;

    private RgbImage(int width, int height, byte[] pixels) {
        this.width = width;
        this.height = height;
        this.pixels = pixels;
    }

    /** Returns an image over this very array: red, green and blue of each pixel, row by row. */
    public static RgbImage wrap(int width, int height, byte[] pixels) {
        if (StageArguments.require(pixels, "pixels").length != bytes(width, height)) {
            throw EngineException.invalidArgument("an image of " + width + "x" + height + " pixels has "
                    + bytes(width, height) + " bytes, not " + pixels.length);
        }
        return new RgbImage(width, height, pixels);
    }

    /** Returns an image of one grey, from 0 for black to 255 for white. */
    public static RgbImage filled(int width, int height, int grey) {
        byte[] pixels = new byte[bytes(width, height)];
        Arrays.fill(pixels, (byte) grey);
        return new RgbImage(width, height, pixels);
    }

    private static int bytes(int width, int height) {
        StageArguments.positive(width, "width");
        StageArguments.positive(height, "height");
        if ((long) width * height > MOST_PIXELS) {
            throw EngineException.invalidArgument(
                    "an image of " + width + "x" + height + " pixels has more than " + MOST_PIXELS + " of them");
        }
        return width * height * CHANNELS;
    }

    public int width() {
        return width;
    }

    public int height() {
        return height;
    }

    /** Returns the bytes themselves, not a copy. */
    public byte[] pixels() {
        return pixels;
    }

    /** Returns a channel of a pixel, from 0 to 255: 0 is red, 1 green, 2 blue. */
    public int value(int x, int y, int channel) {
        return Byte.toUnsignedInt(pixels[(y * width + x) * CHANNELS + channel]);
    }

    /** Returns this image in another size. */
    public RgbImage resized(int toWidth, int toHeight, Resampling resampling) {
        bytes(toWidth, toHeight);
        return toWidth == width && toHeight == height
                ? this
                : resized(new Resampling.Part(toWidth, toHeight, 0, 0, toWidth, toHeight), resampling);
    }

    /** Returns a part of this image in another size. */
    RgbImage resized(Resampling.Part part, Resampling resampling) {
        bytes(part.width(), part.height());
        return part.wholeWidth() == width && part.wholeHeight() == height
                ? part(part.left(), part.top(), part.width(), part.height(), 0)
                : new RgbImage(part.width(), part.height(), resampling.resize(this, part));
    }

    /** Returns a part of this image; pixels outside of it are {@code grey}. */
    public RgbImage part(int left, int top, int ofWidth, int ofHeight, int grey) {
        RgbImage part = filled(ofWidth, ofHeight, grey);
        int from = Math.max(0, -left);
        int count = Math.min(ofWidth, width - left) - from;
        for (int y = Math.max(0, -top); y < Math.min(ofHeight, height - top) && count > 0; y++) {
            System.arraycopy(
                    pixels,
                    ((y + top) * width + left + from) * CHANNELS,
                    part.pixels,
                    (y * ofWidth + from) * CHANNELS,
                    count * CHANNELS);
        }
        return part;
    }

    /** Returns this image turned by 180 degrees. */
    public RgbImage upsideDown() {
        RgbImage turned = filled(width, height, 0);
        for (int i = 0; i < width * height; i++) {
            copyPixel(i, turned, width * height - 1 - i);
        }
        return turned;
    }

    /** Returns this image with left and right exchanged. */
    public RgbImage mirrored() {
        RgbImage turned = filled(width, height, 0);
        for (int i = 0; i < width * height; i++) {
            copyPixel(i, turned, i - i % width + width - 1 - i % width);
        }
        return turned;
    }

    /** Returns this image turned by 90 degrees against the clock. */
    public RgbImage turnedLeft() {
        RgbImage turned = filled(height, width, 0);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                copyPixel(y * width + x, turned, (width - 1 - x) * height + y);
            }
        }
        return turned;
    }

    private void copyPixel(int from, RgbImage to, int at) {
        System.arraycopy(pixels, from * CHANNELS, to.pixels, at * CHANNELS, CHANNELS);
    }

    /**
     * Returns the content of a parallelogram as a rectangle, with bilinear interpolation. Outside of this image, the pixels at its
     * edge go on.
     */
    public RgbImage unwarped(Quad quad, int toWidth, int toHeight) {
        RgbImage made = filled(toWidth, toHeight, 0);
        Point origin = quad.topLeft();
        for (int y = 0; y < toHeight; y++) {
            double down = (double) y / toHeight;
            for (int x = 0; x < toWidth; x++) {
                double along = (double) x / toWidth;
                double fromX = origin.x()
                        + along * (quad.topRight().x() - origin.x())
                        + down * (quad.bottomLeft().x() - origin.x());
                double fromY = origin.y()
                        + along * (quad.topRight().y() - origin.y())
                        + down * (quad.bottomLeft().y() - origin.y());
                for (int channel = 0; channel < CHANNELS; channel++) {
                    made.pixels[(y * toWidth + x) * CHANNELS + channel] =
                            (byte) Math.round(between(fromX, fromY, channel));
                }
            }
        }
        return made;
    }

    private double between(double x, double y, int channel) {
        int left = (int) Math.floor(x);
        int top = (int) Math.floor(y);
        double right = x - left;
        double below = y - top;
        double upper = (1 - right) * atEdge(left, top, channel) + right * atEdge(left + 1, top, channel);
        double lower = (1 - right) * atEdge(left, top + 1, channel) + right * atEdge(left + 1, top + 1, channel);
        return (1 - below) * upper + below * lower;
    }

    private int atEdge(int x, int y, int channel) {
        return value(Math.clamp(x, 0, width - 1), Math.clamp(y, 0, height - 1), channel);
    }

    @Override
    public String toString() {
        return "image of " + width + "x" + height + " pixels";
    }
}
