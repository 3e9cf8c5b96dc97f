package dev.millrace.djl;

import ai.djl.ndarray.types.DataType;
import java.util.stream.IntStream;

/** Fourier transforms of lines of arrays of pairs: the last axis has the real and the imaginary part of each number. */
final class SpectralLines {
    private SpectralLines() {}

    /** Transforms the lines along an axis, which are cut or filled up with zeros to a length. */
    static ArrayData along(ArrayData pairs, int axis, int length, boolean inverse) {
        if (length < 1) {
            throw new IllegalArgumentException("a Fourier transform has no length of " + length);
        }
        int extent = pairs.extent(axis);
        int stride = pairs.stride(axis);
        long[] shape = pairs.shape().clone();
        shape[axis] = length;
        ArrayData result = ArrayData.zeros(DataType.FLOAT32, shape);
        double[] roots = roots(length, inverse);
        double[] line = new double[2 * length];
        for (int start = 0; start < result.size(); start += 2) {
            if (start / stride % length != 0) {
                continue;
            }
            int from = start / stride / length * extent * stride + start % stride;
            for (int i = 0; i < length; i++) {
                line[2 * i] = i < extent ? pairs.get(from + i * stride) : 0;
                line[2 * i + 1] = i < extent ? pairs.get(from + i * stride + 1) : 0;
            }
            double[] transformed = transform(line, roots, 1);
            for (int i = 0; i < length; i++) {
                result.set(start + i * stride, transformed[2 * i] / (inverse ? length : 1));
                result.set(start + i * stride + 1, transformed[2 * i + 1] / (inverse ? length : 1));
            }
        }
        return result;
    }

    private static double[] roots(int length, boolean inverse) {
        double[] roots = new double[2 * length];
        for (int i = 0; i < length; i++) {
            double angle = (inverse ? Math.TAU : -Math.TAU) * i / length;
            roots[2 * i] = Math.cos(angle);
            roots[2 * i + 1] = Math.sin(angle);
        }
        return roots;
    }

    /**
     * Transforms a line by the factors of its length (Cooley and Tukey, "An Algorithm for the Machine Calculation of Complex
     * Fourier Series", 1965).
     *
     * @param roots the roots of unity of the whole transform, of which each {@code step}th belongs to this one
     */
    private static double[] transform(double[] line, double[] roots, int step) {
        int length = line.length / 2;
        if (length == 1) {
            return line.clone();
        }
        int factor = IntStream.rangeClosed(2, length)
                .filter(each -> length % each == 0)
                .findFirst()
                .orElseThrow();
        int part = length / factor;
        double[] result = new double[2 * length];
        for (int first = 0; first < factor; first++) {
            double[] every = new double[2 * part];
            for (int i = 0; i < part; i++) {
                every[2 * i] = line[2 * (i * factor + first)];
                every[2 * i + 1] = line[2 * (i * factor + first) + 1];
            }
            double[] transformed = transform(every, roots, step * factor);
            for (int i = 0; i < length; i++) {
                int root = 2 * (int) ((long) first * i % length * step);
                double real = transformed[2 * (i % part)];
                double imaginary = transformed[2 * (i % part) + 1];
                result[2 * i] += real * roots[root] - imaginary * roots[root + 1];
                result[2 * i + 1] += real * roots[root + 1] + imaginary * roots[root];
            }
        }
        return result;
    }

    /** Returns the whole spectrum of real numbers, of which the first half is given. */
    static ArrayData completed(ArrayData half, int axis, int length) {
        int stride = half.stride(axis);
        int extent = half.extent(axis);
        long[] shape = half.shape().clone();
        shape[axis] = length;
        ArrayData whole = ArrayData.zeros(DataType.FLOAT32, shape);
        for (int i = 0; i < whole.size(); i++) {
            int place = i / stride % length;
            boolean isMirrored = place > length / 2;
            int from = isMirrored ? length - place : place;
            if (from < extent) {
                double value = half.get((i / stride / length * extent + from) * stride + i % stride);
                whole.set(i, isMirrored && i % 2 == 1 ? -value : value);
            }
        }
        return whole;
    }

    /** Returns overlapping parts of each line of the last axis, multiplied by a window, as real numbers. */
    static ArrayData frames(ArrayData lines, int hop, ArrayData window) {
        int length = window.size();
        int extent = lines.extent(lines.rank() - 1);
        if (hop < 1 || extent < length) {
            throw new IllegalArgumentException(
                    "a line of " + extent + " elements has no frames of " + length + " every " + hop + " elements");
        }
        int count = 1 + (extent - length) / hop;
        ArrayData frames = ArrayData.zeros(DataType.FLOAT32, lines.size() / extent, count, length);
        for (int i = 0; i < frames.size(); i++) {
            int from = i / length / count * extent + i / length % count * hop + i % length;
            frames.set(i, lines.get(from) * window.get(i % length));
        }
        return frames;
    }

    /** Returns lines with {@code width} elements more before and behind, mirrored at their ends. */
    static ArrayData mirrored(ArrayData lines, int width) {
        int last = lines.extent(lines.rank() - 1) - 1;
        if (last < width) {
            throw new IllegalArgumentException("a line of " + (last + 1) + " elements cannot be mirrored by " + width);
        }
        long[] shape = lines.shape().clone();
        shape[lines.rank() - 1] = last + 1L + 2L * width;
        int wide = (int) shape[lines.rank() - 1];
        return lines.moved(shape, index -> {
            int place = Math.abs(index % wide - width);
            return index / wide * (last + 1) + (place > last ? 2 * last - place : place);
        });
    }
}
