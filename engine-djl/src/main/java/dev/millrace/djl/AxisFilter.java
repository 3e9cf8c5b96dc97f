package dev.millrace.djl;

import ai.djl.ndarray.types.DataType;
import java.util.Arrays;

/**
 * Filters that resize an image along an axis. Corners stay corners. Filters are as wide as the old samples between two new ones, so that nothing
 * is left out if an image shrinks.
 */
enum AxisFilter {
    NEAREST(0.5) {
        @Override
        double weight(double distance) {
            return 1;
        }
    },
    BILINEAR(1) {
        @Override
        double weight(double distance) {
            return Math.max(0, 1 - distance);
        }
    },
    AREA(0.5) {
        @Override
        double weight(double distance) {
            return 1;
        }
    },
    /** Cubic convolution with a = -1/2 (Keys, "Cubic Convolution Interpolation for Digital Image Processing", 1981). */
    BICUBIC(2) {
        @Override
        double weight(double distance) {
            if (distance < 1) {
                return (1.5 * distance - 2.5) * distance * distance + 1;
            }
            return distance < 2 ? ((-0.5 * distance + 2.5) * distance - 4) * distance + 2 : 0;
        }
    };

    private final double reach;

    AxisFilter(double reach) {
        this.reach = reach;
    }

    /** Returns the weight of a sample at a distance, in widths of the filter. */
    abstract double weight(double distance);

    /** Returns the filter of a number of DJL's enumeration of interpolations. */
    static AxisFilter of(int interpolation) {
        if (interpolation < 0 || interpolation >= values().length) {
            throw UnsupportedOperations.failure("resize by other means than " + Arrays.toString(values()));
        }
        return values()[interpolation];
    }

    /** Resizes two axes. Whole numbers are rounded, and stay within their type. */
    ArrayData resize(ArrayData data, int rows, int height, int columns, int width) {
        if (height < 1 || width < 1 || data.size() == 0) {
            throw new IllegalArgumentException("an image of the shape " + Arrays.toString(data.shape())
                    + " cannot be resized to a height of " + height + " and a width of " + width);
        }
        ArrayData wide = along(data, columns, width, DataType.FLOAT64);
        ArrayData resized = along(wide, rows, height, data.type().isFloating() ? data.type() : DataType.FLOAT64);
        if (data.type().isFloating()) {
            return resized.cast(data.type());
        }
        boolean isUnsigned = ArrayMath.isUnsigned(data.type());
        int bits = data.type() == DataType.BOOLEAN ? 1 : data.width() * Byte.SIZE - (isUnsigned ? 0 : 1);
        double least = isUnsigned || data.type() == DataType.BOOLEAN ? 0 : -Math.scalb(1.0, bits);
        double most = Math.scalb(1.0, bits) - 1;
        return ArrayMath.map(resized, data.type(), x -> Math.clamp(Math.rint(x), least, most));
    }

    private ArrayData along(ArrayData data, int axis, int extent, DataType type) {
        int old = data.extent(axis);
        if (extent == old) {
            return data; // every filter keeps the samples at their places
        }
        int stride = data.stride(axis);
        long[] shape = data.shape().clone();
        shape[axis] = extent;
        ArrayData result = ArrayData.zeros(type, shape);
        int[] starts = new int[extent];
        double[][] weights = new double[extent][];
        for (int i = 0; i < extent; i++) {
            starts[i] = start(i, old, extent);
            weights[i] = weights(i, starts[i], old, extent);
        }
        double[] sums = new double[stride];
        int lines = result.size() / Math.max(1, extent * stride);
        for (int i = 0; i < lines * extent; i++) {
            int from = (i / extent * old + starts[i % extent]) * stride;
            Arrays.fill(sums, 0);
            for (double weight : weights[i % extent]) {
                for (int j = 0; j < stride; j++) {
                    sums[j] += weight * data.get(from++);
                }
            }
            for (int j = 0; j < stride; j++) {
                result.set(i * stride + j, sums[j]);
            }
        }
        return result;
    }

    private int start(int to, int old, int extent) {
        if (this == NEAREST || this == AREA) {
            return (int) ((long) to * old / extent);
        }
        double scale = (double) old / extent;
        return Math.max(0, (int) ((to + 0.5) * scale - reach * Math.max(1, scale) + 0.5));
    }

    private int end(int to, int start, int old, int extent) {
        return switch (this) {
            case NEAREST -> start + 1;
            case AREA -> (int) Math.ceilDiv((to + 1L) * old, extent);
            default -> {
                double scale = (double) old / extent;
                yield Math.min(old, (int) ((to + 0.5) * scale + reach * Math.max(1, scale) + 0.5));
            }
        };
    }

    private double[] weights(int to, int start, int old, int extent) {
        double scale = (double) old / extent;
        double[] weights = new double[end(to, start, old, extent) - start];
        double sum = 0;
        for (int i = 0; i < weights.length; i++) {
            weights[i] = weight(Math.abs(start + i + 0.5 - (to + 0.5) * scale) / Math.max(1, scale));
            sum += weights[i];
        }
        for (int i = 0; i < weights.length; i++) {
            weights[i] /= sum;
        }
        return weights;
    }
}
