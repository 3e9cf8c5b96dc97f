package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.ModelRequest;
import dev.millrace.pipelines.Stage;
import dev.millrace.pipelines.StageArguments;
import dev.millrace.session.Inference;
import java.util.ArrayList;
import java.util.List;

/**
 * Stages from an image to the lines of text in it, by models with differentiable binarization (Liao et al. 2019, DB), such as PP-OCR's:
 * the output {@code [1, 1, height, width]} has the probability that a pixel lies in the middle of a line.
 */
public final class TextDetector {
    /** The input's extents are multiples of it. */
    private static final int STEP = 32;
    /** The side of the smallest region, in pixels of the input. */
    private static final int SMALLEST = 3;

    /**
     * The limits of a text detector.
     *
     * @param longestSide the longest side of the model's input in pixels: larger images become smaller
     * @param pixel the probability above which a pixel is text
     * @param region the smallest mean probability of a line
     * @param growth how far lines go beyond their middles: their area times this, divided by their perimeter
     */
    public record Options(int longestSide, double pixel, double region, double growth) {
        public Options {
            if (longestSide < STEP || !(growth >= 0)) {
                throw EngineException.invalidArgument("a longest side of " + longestSide + " pixels, and a growth of "
                        + growth + "; a side has " + STEP + " pixels at least, and growth is 0 or more");
            }
        }

        /** Returns the limits of PP-OCR: 960, 0.3, 0.6 and 1.5. */
        public static Options defaults() {
            return new Options(960, 0.3, 0.6, 1.5);
        }
    }

    private TextDetector() {}

    /** Returns a stage whose results are lines from top to bottom, and from left to right beside each other. */
    public static Stage<RgbImage, List<TextRegion>> of(Inference inference, Options options) {
        StageArguments.require(options, "options");
        ImageModel model = ImageModel.of(inference);
        ImageInput input = ImageInput.of(STEP, STEP)
                .normalised(new double[] {0.485, 0.456, 0.406}, new double[] {0.229, 0.224, 0.225})
                .blueFirst();
        return Stage.of(inference, image -> {
            double scale = Math.min(1, (double) options.longestSide() / Math.max(image.width(), image.height()));
            PreparedImage prepared = input.sized(extent(image.width() * scale), extent(image.height() * scale))
                    .prepare(image);
            return new ModelRequest<>(
                    model.inputs(prepared), outputs -> regions(outputs.get(model.output(0)), prepared, options));
        });
    }

    private static int extent(double pixels) {
        return Math.max(STEP, (int) Math.round(pixels / STEP) * STEP);
    }

    private static List<TextRegion> regions(Tensor output, PreparedImage prepared, Options options) {
        int width = prepared.width();
        int height = prepared.height();
        if (output.elements() != (long) width * height) {
            throw EngineException.invalidArgument("an input of " + width + "x" + height
                    + " pixels needs a map of the same size, and the output has the shape " + output.shape());
        }
        float[] map = output.floats();
        var found = new ArrayList<TextRegion>();
        for (List<Point> ends : Regions.of(map, width, height, options.pixel())) {
            SmallestRectangle middle = SmallestRectangle.around(ends);
            double score = middle.shorterSide() < SMALLEST ? 0 : mean(map, width, height, middle);
            SmallestRectangle line = middle.grown(middle.area() * options.growth() / middle.perimeter());
            if (score >= options.region() && line.shorterSide() >= SMALLEST + 2) {
                found.add(new TextRegion(inImage(line.corners(), prepared), score));
            }
        }
        return ReadingOrder.of(found);
    }

    /** Returns the mean over the pixels in a rectangle. */
    private static double mean(float[] map, int width, int height, SmallestRectangle rectangle) {
        Box bounds = rectangle.corners().bounds();
        double sum = 0;
        int count = 0;
        int bottom = Math.min(height - 1, (int) Math.ceil(bounds.bottom()));
        int right = Math.min(width - 1, (int) Math.ceil(bounds.right()));
        for (int y = Math.max(0, (int) bounds.top()); y <= bottom; y++) {
            for (int x = Math.max(0, (int) bounds.left()); x <= right; x++) {
                if (rectangle.contains(x, y)) {
                    sum += map[y * width + x];
                    count++;
                }
            }
        }
        return count == 0 ? 0 : sum / count;
    }

    private static Quad inImage(Quad quad, PreparedImage prepared) {
        return new Quad(
                inImage(quad.topLeft(), prepared),
                inImage(quad.topRight(), prepared),
                inImage(quad.bottomRight(), prepared),
                inImage(quad.bottomLeft(), prepared));
    }

    private static Point inImage(Point point, PreparedImage prepared) {
        Point place = prepared.placement().toImage(point.x(), point.y());
        return new Point(
                Math.clamp(place.x(), 0, prepared.image().width()),
                Math.clamp(place.y(), 0, prepared.image().height()));
    }
}
