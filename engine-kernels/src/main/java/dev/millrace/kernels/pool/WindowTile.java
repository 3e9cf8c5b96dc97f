package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.Combination;
import dev.millrace.kernels.image.ImageEpilogues;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The kernel f(in, weights, bias, out, residual, sizes): rows of windows over one block of channels.
 *
 * <p>{@code in} is the address of the first input of the first row of taps of the first row. {@code sizes} points to
 * seven longs, all but the first two and the last in bytes: the number of rows, and of rows of taps in each; the step
 * from row to row in the input and in the output; from row to row of taps in the input and in the weights; the number
 * of rows of taps that count for an average, as a float.
 */
final class WindowTile implements KernelFamily {
    static final String NAME = "window.f32";
    static final int MAX_TAPS = 16;
    private static final int MAX_SIZE = 1 << 20;

    /** The initial value of a result. */
    enum Start {
        FRESH,
        /** The result of the passes before, from the output. */
        OUTPUT
    }

    /**
     * The parameters of one member of the family.
     *
     * @param width the axis along a row
     * @param firstTap the first tap of a row that this pass reads
     * @param endTap the end of these taps, of which there are at most 16
     * @param each the expression that is applied to an element before it is added; for sums only
     * @param after the epilogue: input 0 is the result, input 1 the residual; null while further passes follow
     * @param counted the number of padding columns behind the input that count for the average; -1 if no padding
     *     counts, -2 if there is no average
     */
    record Variant(
            Combination op,
            Axis width,
            int firstTap,
            int endTap,
            Start start,
            Expr each,
            @Nullable Expr after,
            int counted) {
        static final int NO_AVERAGE = -2;
        static final int ONLY_INSIDE = -1;

        KernelKey key() {
            return KernelKey.of(NAME)
                    .with("op", op)
                    .with("in", width.in())
                    .with("out", width.out())
                    .with("taps", width.taps())
                    .with("stride", width.stride())
                    .with("dilation", width.dilation())
                    .with("before", width.before())
                    .with("first", firstTap)
                    .with("end", endTap)
                    .with("start", start)
                    .with("each", ExprText.print(each))
                    .with("after", ImageEpilogues.print(after))
                    .with("counted", counted);
        }

        static Variant of(KernelKey key) {
            key.onlyHas(
                    "op",
                    "in",
                    "out",
                    "taps",
                    "stride",
                    "dilation",
                    "before",
                    "first",
                    "end",
                    "start",
                    "each",
                    "after",
                    "counted");
            Combination op = key.oneOf("op", Combination.values());
            int taps = key.number("taps", 1, MAX_SIZE);
            Axis width = new Axis(
                    key.number("in", 0, MAX_SIZE),
                    key.number("out", 1, MAX_SIZE),
                    taps,
                    key.number("stride", 1, MAX_SIZE),
                    key.number("dilation", 1, MAX_SIZE),
                    key.number("before", -MAX_SIZE, MAX_SIZE));
            int first = key.number("first", 0, taps);
            Expr each = ImageEpilogues.read(key, "each");
            if (each == null || ImageEpilogues.readsResidual(each)) {
                throw new IllegalArgumentException("kernel key " + key + ": the parameter each must be of input 0");
            }
            return new Variant(
                    op,
                    width,
                    first,
                    key.number("end", first, Math.min(taps, first + MAX_TAPS)),
                    key.oneOf("start", Start.values()),
                    Objects.requireNonNull(each),
                    ImageEpilogues.read(key, "after"),
                    key.number("counted", NO_AVERAGE, MAX_SIZE));
        }

        /** Whether a tap of an output reads an input inside of the image. */
        boolean reads(int output, int tap) {
            int column = width.start(output) + tap * width.dilation();
            return column >= 0 && column < width.in();
        }

        /** The number of taps in a row that count for the average of an output. */
        int count(int output) {
            int behind = Math.max(counted, 0);
            int count = 0;
            for (int tap = 0; tap < width.taps(); tap++) {
                int column = width.start(output) + tap * width.dilation();
                boolean before = counted >= 0 || column >= 0;
                count += before && column < width.in() + behind ? 1 : 0;
            }
            return count;
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new WindowWriter(key.toString(), target, Variant.of(key)).program();
    }
}
