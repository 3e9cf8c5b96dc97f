package dev.millrace.kernels.resize;

/**
 * One axis that is resized.
 *
 * @param axis its number
 * @param from the number of its elements
 * @param to the number of its results
 * @param scale the scale that the model states, else {@code to / from}
 * @param start the start of the region that is resized, as a part of the axis; for cropping only
 * @param end the end of that region
 */
public record ResizeAxis(int axis, int from, int to, double scale, float start, float end) {
    /**
     * The distance from the middle of two elements within which a position counts as the middle, since scales are
     * rounded.
     */
    private static final double TIE = 1e-6;
    /**
     * The longest axis on which floats distinguish elements and results, and on which a {@link #TIE} is less than their
     * distance.
     */
    private static final int MOST_BY_FLOATS = 1 << 18;

    public ResizeAxis {
        if (axis < 0 || from < 1 || to < 0 || !((float) scale > 0 && scale <= Float.MAX_VALUE)) {
            throw new IllegalArgumentException(
                    "axis " + axis + " is resized from " + from + " to " + to + " elements by " + scale);
        }
    }

    /** Returns the resizing of a whole axis by the ratio of its lengths. */
    public static ResizeAxis of(int axis, int from, int to) {
        return new ResizeAxis(axis, from, to, to == 0 ? 1 : (double) to / from, 0, 1);
    }

    /** Returns the position of a result in the data for interpolation, whose weights are continuous in it. */
    double exactPlace(ResizeRule.Coordinates coordinates, int result) {
        double last = from - 1;
        return switch (coordinates) {
            case HALF_PIXEL -> exactly(result + 0.5) - 0.5;
            case HALF_PIXEL_SYMMETRIC -> from / 2.0 * (1 - to / (scale * from)) + (result + 0.5) / scale - 0.5;
            case PYTORCH_HALF_PIXEL -> to > 1 ? exactly(result + 0.5) - 0.5 : 0;
            case ALIGN_CORNERS -> to > 1 ? result * last / (to - 1) : 0;
            case ASYMMETRIC -> exactly(result);
            case TF_HALF_PIXEL_FOR_NN -> exactly(result + 0.5);
            case TF_CROP_AND_RESIZE ->
                to > 1
                        ? start * last + result * ((double) end - start) * last / (to - 1)
                        : 0.5 * ((double) start + end) * last;
        };
    }

    /**
     * Returns the position of a result in the data for the choice between elements. It is computed in floats like in
     * ONNX Runtime, whose rounding decides between elements, unless the axis is too long for floats.
     */
    private double place(ResizeRule.Coordinates coordinates, int result) {
        return isLong() ? exactPlace(coordinates, result) : roundedPlace(coordinates, result);
    }

    private boolean isLong() {
        return Math.max(from, to) > MOST_BY_FLOATS;
    }

    private float roundedPlace(ResizeRule.Coordinates coordinates, int result) {
        return switch (coordinates) {
            case HALF_PIXEL -> along(result + 0.5f) - 0.5f;
            case HALF_PIXEL_SYMMETRIC -> {
                float offset = from / 2f * (1 - to / ((float) scale * from));
                yield (float) (offset + (result + 0.5) / (float) scale - 0.5);
            }
            case PYTORCH_HALF_PIXEL -> to > 1 ? along(result + 0.5f) - 0.5f : 0;
            case ALIGN_CORNERS -> to > 1 ? (float) result * (from - 1) / (to - 1) : 0;
            case ASYMMETRIC -> along(result);
            case TF_HALF_PIXEL_FOR_NN -> along(result + 0.5f);
            case TF_CROP_AND_RESIZE ->
                to > 1
                        ? start * (from - 1) + result * (end - start) * (from - 1) / (to - 1)
                        : 0.5f * (start + end) * (from - 1);
        };
    }

    private float along(float place) {
        return place / (float) scale;
    }

    /** Returns a position among the results as one in the data; exact where the scale is the ratio of the lengths. */
    private double exactly(double place) {
        return scale == (double) to / from ? place * from / to : place / scale;
    }

    /** Whether a result lies outside of the data, which only cropping permits. */
    boolean isOutside(ResizeRule.Coordinates coordinates, int result) {
        if (coordinates != ResizeRule.Coordinates.TF_CROP_AND_RESIZE) {
            return false;
        }
        double place = place(coordinates, result);
        return place < 0 || place > from - 1;
    }

    /** Returns the nearest element. */
    int nearest(ResizeRule rule, int result) {
        double place = place(rule.coordinates(), result);
        double tie = isLong() ? 0 : TIE;
        double rounded = switch (rule.rounding()) {
            case ROUND_PREFER_FLOOR -> Math.ceil(place - 0.5 - tie);
            case ROUND_PREFER_CEIL -> Math.floor(place + 0.5 + tie);
            case FLOOR -> Math.floor(place);
            case CEIL -> Math.ceil(place);
        };
        return (int) Math.clamp(rounded, 0, from - 1);
    }

    /**
     * Returns the number of results that each element is the nearest one for, where this is the same for all elements
     * and in order; else 0.
     */
    int times(ResizeRule rule) {
        if (to % from != 0) {
            return 0;
        }
        int times = to / from;
        for (int i = 0; i < to; i++) {
            if (nearest(rule, i) != i / times) {
                return 0;
            }
        }
        return times;
    }
}
