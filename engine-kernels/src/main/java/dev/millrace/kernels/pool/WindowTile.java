package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.image.Activations;
import dev.millrace.kernels.image.Axis;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Rows of windows over one block of channels: f(in, weights, bias, out, residual, sizes).
 *
 * <p>{@code in} is the first input of the first row of taps of the first row. sizes is memory of seven longs, all but the
 * first two and the last in bytes: the number of rows, and of rows of taps in each; from row to row in the input and in
 * the output; from row to row of taps in the input and in the weights; how many rows of taps count for an average, as a
 * float.
 */
final class WindowTile implements KernelFamily {
    static final String NAME = "window.f32";
    static final int MAX_TAPS = 16;
    private static final int MAX_SIZE = 1 << 20;

    /** What is done with the elements under a window. */
    enum Op {
        /** The sum of products with the weights of their taps, and the bias. */
        WEIGHTED,
        MAX,
        SUM
    }

    /** What the result begins with. */
    enum Start {
        FRESH,
        /** What the output holds. */
        OUTPUT
    }

    /**
     * One member of the family.
     *
     * @param width how the window slides along a row
     * @param firstTap of those of a row that are taken
     * @param endTap of those that are taken, at most 16
     * @param each what an element goes through before it is added; for sums only
     * @param after what the result goes through: input 0 is the result, input 1 the residual; null while taps are left
     * @param counted how many columns behind the input count for the average; -1 if only those in the input count, -2
     *     if there is no average
     */
    record Variant(
            Op op,
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
                    .with("after", Activations.print(after))
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
            Op op = key.oneOf("op", Op.values());
            int taps = key.number("taps", 1, MAX_SIZE);
            Axis width = new Axis(
                    key.number("in", 0, MAX_SIZE),
                    key.number("out", 1, MAX_SIZE),
                    taps,
                    key.number("stride", 1, MAX_SIZE),
                    key.number("dilation", 1, MAX_SIZE),
                    key.number("before", -MAX_SIZE, MAX_SIZE));
            int first = key.number("first", 0, taps);
            Expr each = Activations.read(key, "each");
            if (each == null || Activations.readsResidual(each)) {
                throw new IllegalArgumentException("kernel key " + key + ": the parameter each must be of input 0");
            }
            return new Variant(
                    op,
                    width,
                    first,
                    key.number("end", first, Math.min(taps, first + MAX_TAPS)),
                    key.oneOf("start", Start.values()),
                    Objects.requireNonNull(each),
                    Activations.read(key, "after"),
                    key.number("counted", NO_AVERAGE, MAX_SIZE));
        }

        /** Whether a tap of an output reads an input that is there. */
        boolean reads(int output, int tap) {
            int column = width.start(output) + tap * width.dilation();
            return column >= 0 && column < width.in();
        }

        /** How many taps in a row count for the average of an output. */
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
