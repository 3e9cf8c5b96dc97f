package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.cpu.extent.ArrayExtents;

/**
 * The resampling of one axis: for each output coordinate, {@link #taps} input coordinates and their weights.
 *
 * @param sources {@code taps} input coordinates for each output coordinate
 * @param weights their weights; a tap of weight zero is ignored, whatever its value
 * @param outside whether each output coordinate is outside the region of interest, or an empty array
 */
record AxisResampling(int taps, int[] sources, double[] weights, boolean[] outside) {
    private static final long TAP_BYTES = Integer.BYTES + Double.BYTES;
    private static final int BETWEEN_PAUSES = 1 << 16;
    /**
     * The distance to the middle of two elements within which a coordinate counts as the middle, since coordinates are
     * computed from rounded scales.
     */
    private static final double TIE = 1e-6;
    /**
     * The longest axis whose coordinates floats distinguish, with a {@link #TIE} below the distance between
     * coordinates.
     */
    private static final int MOST_BY_FLOATS = 1 << 18;

    /** The attributes of a node that apply to every axis. */
    record Rule(
            String mode, String transform, String nearest, boolean antialias, boolean excludeOutside, double cubic) {}

    /** One axis: its extents, the factor between them, and its part of the region of interest. */
    record Extent(long in, long out, double scale, double roiStart, double roiEnd) {
        boolean isLong() {
            return Math.max(in, out) > MOST_BY_FLOATS;
        }

        /** Converts an output coordinate to an input coordinate; exact where the factor is the ratio of the extents. */
        double along(double place) {
            return scale == (double) out / in ? place * in / out : place / scale;
        }
    }

    boolean hasOutside() {
        return outside.length > 0;
    }

    /** @param pause called now and then, since axes can be long */
    static AxisResampling of(Rule rule, Extent extent, Runnable pause) {
        int in = ArrayExtents.toInt("places along an axis", extent.in());
        boolean crops = rule.transform().equals("tf_crop_and_resize");
        double shrink = rule.antialias() ? Math.min(extent.scale(), 1) : 1;
        int start = switch (rule.mode()) {
            case "nearest" -> 0;
            case "linear", "bilinear" -> (int) Math.floor(-1 / shrink) + 1;
            default -> (int) Math.floor(-2 / shrink) + 1;
        };
        boolean isNearest = rule.mode().equals("nearest");
        int taps = isNearest ? 1 : ArrayExtents.toInt("taps of a place", 2 - 2L * start);
        int out = ArrayExtents.table("places along an axis", extent.out(), TAP_BYTES * taps);
        int cells = ArrayExtents.product("taps", out, taps);
        int[] sources = new int[cells];
        double[] weights = new double[cells];
        boolean[] outside = new boolean[crops ? out : 0];
        for (int i = 0; i < out; i++) {
            if ((i & BETWEEN_PAUSES - 1) == 0) {
                pause.run();
            }
            double x = isNearest && !extent.isLong()
                    ? rounded(rule.transform(), extent, i)
                    : original(rule.transform(), extent, i);
            if (crops) {
                outside[i] = x < 0 || x > in - 1;
            }
            if (isNearest) {
                sources[i] = (int) Math.clamp(nearest(rule.nearest(), x, extent), 0, in - 1);
                weights[i] = 1;
            } else {
                weigh(rule, x, shrink, start, taps, in, sources, weights, i * taps);
            }
        }
        return new AxisResampling(taps, sources, weights, outside);
    }

    private static void weigh(
            Rule rule, double x, double shrink, int start, int taps, int in, int[] sources, double[] weights, int at) {
        double floor = Math.floor(x);
        double sum = 0;
        for (int i = 0; i < taps; i++) {
            double tap = floor + start + i;
            double distance = Math.abs(tap - x) * shrink;
            double weight = rule.mode().equals("cubic") ? cubic(rule.cubic(), distance) : Math.max(0, 1 - distance);
            boolean excluded = rule.excludeOutside() && (tap < 0 || tap >= in);
            sources[at + i] = (int) Math.clamp(tap, 0, in - 1);
            weights[at + i] = excluded ? 0 : weight;
            sum += weights[at + i];
        }
        for (int i = 0; i < taps && (rule.antialias() || rule.excludeOutside()); i++) {
            weights[at + i] /= sum;
        }
        join(sources, weights, at, at + taps);
    }

    /** Adds up the weights of consecutive taps at the same coordinate in the first of them. */
    private static void join(int[] sources, double[] weights, int start, int end) {
        int first = start;
        for (int i = start + 1; i < end; i++) {
            if (sources[i] == sources[first]) {
                weights[first] += weights[i];
                weights[i] = 0;
            } else {
                first = i;
            }
        }
    }

    /**
     * The cubic convolution kernel with coefficient {@code a} (Keys, "Cubic Convolution Interpolation for Digital Image
     * Processing", 1981).
     */
    private static double cubic(double a, double distance) {
        return distance <= 1 ? cubicNear(a, distance) : distance < 2 ? cubicFar(a, distance) : 0;
    }

    /** The cubic convolution kernel for distances up to one. */
    static double cubicNear(double a, double x) {
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    }

    /** The cubic convolution kernel for distances from one to two. */
    static double cubicFar(double a, double x) {
        return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
    }

    /** Returns the coordinate in the input of output coordinate {@code i}. */
    private static double original(String transform, Extent extent, int i) {
        double in = extent.in();
        double scale = extent.scale();
        double exact = scale == extent.out() / in ? extent.out() : in * scale;
        return switch (transform) {
            case "half_pixel" -> extent.along(i + 0.5) - 0.5;
            case "half_pixel_symmetric" -> in / 2 * (1 - extent.out() / exact) + (i + 0.5) / scale - 0.5;
            case "pytorch_half_pixel" -> extent.out() > 1 ? extent.along(i + 0.5) - 0.5 : 0;
            case "align_corners" -> exact == 1 || extent.out() == 1 ? 0 : i * (in - 1) / (exact - 1);
            case "asymmetric" -> extent.along(i);
            case "tf_half_pixel_for_nn" -> extent.along(i + 0.5);
            case "tf_crop_and_resize" ->
                extent.out() > 1
                        ? extent.roiStart() * (in - 1)
                                + i * (extent.roiEnd() - extent.roiStart()) * (in - 1) / (extent.out() - 1)
                        : 0.5 * (extent.roiStart() + extent.roiEnd()) * (in - 1);
            default -> throw EngineException.notImplemented("coordinate_transformation_mode '" + transform + "'");
        };
    }

    /**
     * Returns the coordinate in the input of output coordinate {@code i} computed in floats, whose rounding selects the
     * same elements as ONNX Runtime's.
     */
    private static double rounded(String transform, Extent extent, int i) {
        float in = extent.in();
        float out = extent.out();
        float scale = (float) extent.scale();
        return switch (transform) {
            case "half_pixel" -> (i + 0.5f) / scale - 0.5f;
            case "half_pixel_symmetric" -> {
                float offset = in / 2 * (1 - out / (scale * in));
                yield (float) (offset + (i + 0.5) / scale - 0.5);
            }
            case "pytorch_half_pixel" -> out > 1 ? (i + 0.5f) / scale - 0.5f : 0;
            case "asymmetric" -> i / scale;
            case "tf_half_pixel_for_nn" -> (i + 0.5f) / scale;
            default -> original(transform, extent, i);
        };
    }

    private static double nearest(String mode, double x, Extent extent) {
        double tie = extent.isLong() ? 0 : TIE;
        return switch (mode) {
            case "round_prefer_floor" -> Math.ceil(x - 0.5 - tie);
            case "round_prefer_ceil" -> Math.floor(x + 0.5 + tie);
            case "floor" -> Math.floor(x);
            case "ceil" -> Math.ceil(x);
            // before opset 11: up when it shrinks, down when it grows
            case "simple" -> extent.scale() < 1 ? Math.ceil(x) : Math.floor(x);
            default -> throw EngineException.notImplemented("nearest_mode '" + mode + "'");
        };
    }
}
