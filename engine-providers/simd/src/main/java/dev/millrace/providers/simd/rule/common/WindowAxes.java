package dev.millrace.providers.simd.rule.common;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.image.Axis;
import dev.millrace.providers.simd.lower.LoweringContext;
import java.util.Arrays;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The axes that the window of a convolution or a pooling slides along. */
public final class WindowAxes {
    /**
     * The longest row of kernels that compute a row of an image at once, since their code contains its length and its
     * steps.
     */
    private static final int WIDEST = 1 << 20;

    private WindowAxes() {}

    /**
     * Returns the axes of depth, height and width; missing ones have one element.
     *
     * @param kernel the taps along each spatial axis
     * @return null where kernels do not support the window
     */
    public static Axis @Nullable [] axes(LoweringContext op, Shape in, Shape out, long[] kernel) {
        return axes(op, in, out, kernel, op.attributes().text("auto_pad", "NOTSET"), null);
    }

    /**
     * Returns the axes of the convolution that a transposed convolution is the gradient of.
     *
     * @return null where kernels do not support the window
     */
    public static Axis @Nullable [] transposed(LoweringContext op, Shape in, Shape out, long[] kernel) {
        String auto = op.attributes().text("auto_pad", "NOTSET");
        boolean derived = op.attributes().has("output_shape");
        String pads = derived && !auto.equals("SAME_UPPER") ? "SAME_LOWER" : auto;
        long[] behind = numbers(op.attributes(), "output_padding", Math.max(0, in.rank() - 2), 0);
        return axes(op, out, in, kernel, pads, behind);
    }

    private static Axis @Nullable [] axes(
            LoweringContext op, Shape in, Shape out, long[] kernel, String auto, long @Nullable [] behind) {
        int spatial = in.rank() - 2;
        if (spatial < 1 || spatial > 3 || kernel.length != spatial) {
            return null;
        }
        Axis[] axes = {Axis.pointwise(1), Axis.pointwise(1), Axis.pointwise(1)};
        long[] strides = numbers(op.attributes(), "strides", spatial, 1);
        long[] dilations = numbers(op.attributes(), "dilations", spatial, 1);
        if (LongStream.concat(Arrays.stream(strides), Arrays.stream(dilations))
                .anyMatch(steps -> steps > Integer.MAX_VALUE)) {
            return null; // the fallback says what is wrong with them
        }
        for (int i = 0; i < spatial; i++) {
            long from = in.dim(2 + i);
            long to = out.dim(2 + i);
            long wanted = (to - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + (behind == null ? 0 : behind[i]);
            long before = before(op, auto, i, spatial, Math.max(0, wanted - from));
            axes[3 - spatial + i] = new Axis(
                    Math.toIntExact(from),
                    Math.toIntExact(to),
                    Math.toIntExact(kernel[i]),
                    Math.toIntExact(strides[i]),
                    Math.toIntExact(dilations[i]),
                    Math.toIntExact(before));
        }
        return axes;
    }

    /** @param total the padding of an axis where the node does not give it */
    private static long before(LoweringContext op, String auto, int axis, int spatial, long total) {
        if (auto.startsWith("SAME")) {
            return auto.equals("SAME_LOWER") ? total - total / 2 : total / 2;
        }
        return auto.equals("VALID") ? 0 : numbers(op.attributes(), "pads", 2 * spatial, 0)[axis];
    }

    public static long[] numbers(Attributes attributes, String name, int count, long otherwise) {
        long[] extents = attributes.integers(name);
        if (extents != null) {
            return extents;
        }
        long[] numbers = new long[count];
        Arrays.fill(numbers, otherwise);
        return numbers;
    }

    /** Whether a row is longer than kernels compute at once. */
    public static boolean isWide(Axis row) {
        int extents = Math.max(Math.max(row.in(), row.out()), Math.abs(row.before()));
        int steps = Math.max(Math.max(row.stride(), row.dilation()), row.taps());
        return isWide(Math.max(extents, steps));
    }

    public static boolean isWide(long extent) {
        return extent > WIDEST;
    }

    /** The spatial dimensions of weights. */
    public static long[] kernel(Shape weights) {
        long[] kernel = new long[weights.rank() - 2];
        for (int i = 0; i < kernel.length; i++) {
            kernel[i] = weights.dim(2 + i);
        }
        return kernel;
    }
}
