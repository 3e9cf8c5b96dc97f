package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.StageArguments;

/**
 * The input of a model of images: its size, the way an image is fitted into it, and the numbers that bytes become. Immutable. By default an
 * image is stretched with {@link Resampling#OPENCV_LINEAR}, and bytes become numbers from 0 to 1 in the layout {@code [1, 3, height,
 * width]}, red first.
 */
public final class ImageInput {
    private static final int CHANNELS = 3;
    private static final double MOST = 255;

    /** Ways to fit an image into the input. */
    private enum Fit {
        STRETCH,
        LETTERBOX,
        LETTERBOX_TOP_LEFT,
        CROP
    }

    /** The size of the input and the way to it. */
    private record Geometry(int width, int height, Fit fit, int shortSide, int grey, Resampling resampling) {}

    /** The numbers that bytes become. */
    private record Numbers(double[] mean, double[] deviation, boolean blueFirst, boolean channelsLast) {}

    private final Geometry geometry;
    private final Numbers numbers;

    private ImageInput(Geometry geometry, Numbers numbers) {
        this.geometry = geometry;
        this.numbers = numbers;
    }

    /** Creates an input of that size in pixels. */
    public static ImageInput of(int width, int height) {
        StageArguments.positive(width, "width");
        StageArguments.positive(height, "height");
        return new ImageInput(
                new Geometry(width, height, Fit.STRETCH, 0, 0, Resampling.OPENCV_LINEAR),
                new Numbers(new double[CHANNELS], new double[] {1, 1, 1}, false, false));
    }

    /** Creates an input as models that were trained on ImageNet with torchvision take it: 224 of 256 pixels, normalised. */
    public static ImageInput imageNet() {
        return of(224, 224)
                .cropped(256)
                .resampling(Resampling.PIL_BILINEAR)
                .normalised(new double[] {0.485, 0.456, 0.406}, new double[] {0.229, 0.224, 0.225});
    }

    private ImageInput with(Geometry other) {
        return new ImageInput(other, numbers);
    }

    private ImageInput fitted(Fit fit, int shortSide, int grey) {
        return with(new Geometry(geometry.width(), geometry.height(), fit, shortSide, grey, geometry.resampling()));
    }

    /** Returns this input for images that keep their shape, in the middle of a ground of that grey from 0 to 255. */
    public ImageInput letterboxed(int grey) {
        return fitted(Fit.LETTERBOX, 0, grey);
    }

    /** Returns this input for images that keep their shape, in the upper left corner of a ground of that grey from 0 to 255. */
    public ImageInput letterboxedTopLeft(int grey) {
        return fitted(Fit.LETTERBOX_TOP_LEFT, 0, grey);
    }

    /** Returns this input for the middle of images whose shorter side is made so many pixels long first. */
    public ImageInput cropped(int shortSide) {
        if (shortSide < Math.max(geometry.width(), geometry.height())) {
            throw EngineException.invalidArgument("a shorter side of " + shortSide
                    + " pixels does not fill an input of " + geometry.width() + "x" + geometry.height());
        }
        return fitted(Fit.CROP, shortSide, 0);
    }

    /** Returns this input with another way to compute pixels. */
    public ImageInput resampling(Resampling other) {
        StageArguments.require(other, "resampling");
        return with(new Geometry(
                geometry.width(), geometry.height(), geometry.fit(), geometry.shortSide(), geometry.grey(), other));
    }

    /** Returns this input of another size. */
    ImageInput sized(int width, int height) {
        return with(new Geometry(
                width, height, geometry.fit(), geometry.shortSide(), geometry.grey(), geometry.resampling()));
    }

    /**
     * Returns this input with normalisation: a number from 0 to 1, minus the mean of its channel, divided by its deviation. The channels
     * are in the order of the input: the order in which the two arrays name them is that of {@link #blueFirst}, too.
     */
    public ImageInput normalised(double[] mean, double[] deviation) {
        if (StageArguments.require(mean, "mean").length != CHANNELS
                || StageArguments.require(deviation, "deviation").length != CHANNELS) {
            throw EngineException.invalidArgument("there are a mean and a deviation for each of three channels");
        }
        return new ImageInput(
                geometry, new Numbers(mean.clone(), deviation.clone(), numbers.blueFirst(), numbers.channelsLast()));
    }

    /** Returns this input with numbers from -1 to 1. */
    public ImageInput fromMinusOneToOne() {
        return normalised(new double[] {0.5, 0.5, 0.5}, new double[] {0.5, 0.5, 0.5});
    }

    /** Returns this input with numbers from 0 to 255. */
    public ImageInput fromZeroTo255() {
        return normalised(new double[CHANNELS], new double[] {1 / MOST, 1 / MOST, 1 / MOST});
    }

    /** Returns this input with the channels in the order blue, green, red, as OpenCV reads images. */
    public ImageInput blueFirst() {
        return new ImageInput(geometry, new Numbers(numbers.mean(), numbers.deviation(), true, numbers.channelsLast()));
    }

    /** Returns this input in the layout {@code [1, height, width, 3]}. */
    public ImageInput channelsLast() {
        return new ImageInput(geometry, new Numbers(numbers.mean(), numbers.deviation(), numbers.blueFirst(), true));
    }

    public int width() {
        return geometry.width();
    }

    public int height() {
        return geometry.height();
    }

    /** Returns an image as the model takes it. */
    public PreparedImage prepare(RgbImage image) {
        StageArguments.require(image, "image");
        ImagePlacement place = placement(image);
        RgbImage fitted =
                fitted(image, place, scaled(image.width(), place.scaleX()), scaled(image.height(), place.scaleY()));
        return new PreparedImage(tensor(fitted), width(), height(), image, place);
    }

    private RgbImage fitted(RgbImage image, ImagePlacement place, int scaledWidth, int scaledHeight) {
        int left = (int) -place.left();
        int top = (int) -place.top();
        if (geometry.fit() == Fit.CROP) {
            // only the pixels that stay: an image of a few columns may be made very long
            var part = new Resampling.Part(scaledWidth, scaledHeight, left, top, width(), height());
            return image.resized(part, geometry.resampling());
        }
        RgbImage scaled = image.resized(scaledWidth, scaledHeight, geometry.resampling());
        return scaledWidth == width() && scaledHeight == height()
                ? scaled
                : scaled.part(left, top, width(), height(), geometry.grey());
    }

    private static int scaled(int extent, double scale) {
        return Math.max(1, (int) Math.round(extent * scale));
    }

    private ImagePlacement placement(RgbImage image) {
        double x = (double) width() / image.width();
        double y = (double) height() / image.height();
        if (geometry.fit() == Fit.STRETCH) {
            return new ImagePlacement(x, y, 0, 0);
        }
        double scale = geometry.fit() == Fit.CROP
                ? (double) geometry.shortSide() / Math.min(image.width(), image.height())
                : Math.min(x, y);
        // whole pixels: the scale of each axis is that of its rounded extent
        int scaledWidth = geometry.fit() == Fit.CROP ? cropped(image.width(), scale) : scaled(image.width(), scale);
        int scaledHeight = geometry.fit() == Fit.CROP ? cropped(image.height(), scale) : scaled(image.height(), scale);
        boolean isCorner = geometry.fit() == Fit.LETTERBOX_TOP_LEFT;
        return new ImagePlacement(
                (double) scaledWidth / image.width(),
                (double) scaledHeight / image.height(),
                isCorner ? 0 : margin(width() - scaledWidth),
                isCorner ? 0 : margin(height() - scaledHeight));
    }

    /** The extent of an image whose shorter side is given: torchvision cuts off fractions. */
    private static int cropped(int extent, double scale) {
        return (int) (extent * scale + 1e-9);
    }

    /** Half of what is left, in whole pixels; what is cut off is rounded to the even neighbour as in Python. */
    private static double margin(int rest) {
        return rest >= 0 ? Math.floor(rest / 2.0) : -Math.rint(-rest / 2.0);
    }

    /** Returns the numbers of an image that has the size of the input. */
    Tensor tensor(RgbImage image) {
        float[] values = new float[image.width() * image.height() * CHANNELS];
        int area = image.width() * image.height();
        byte[] pixels = image.pixels();
        for (int channel = 0; channel < CHANNELS; channel++) {
            float[] table = table(channel);
            int from = numbers.blueFirst() ? CHANNELS - 1 - channel : channel;
            for (int i = 0; i < area; i++) {
                values[numbers.channelsLast() ? i * CHANNELS + channel : channel * area + i] =
                        table[Byte.toUnsignedInt(pixels[i * CHANNELS + from])];
            }
        }
        return numbers.channelsLast()
                ? Tensor.copyOf(values, 1, image.height(), image.width(), CHANNELS)
                : Tensor.copyOf(values, 1, CHANNELS, image.height(), image.width());
    }

    /** The number of each byte. */
    private float[] table(int channel) {
        float[] table = new float[(int) MOST + 1];
        for (int i = 0; i < table.length; i++) {
            table[i] = (float) ((i / MOST - numbers.mean()[channel]) / numbers.deviation()[channel]);
        }
        return table;
    }
}
