package dev.millrace.kernels.conv.nchw;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.image.Combination;
import dev.millrace.kernels.image.ImageEpilogues;

/**
 * The kernel f(in, weights, out, other, sizes): rows of windows over NCHW images, for one or several output channels.
 *
 * <p>weights are the biases of the channels, then tap by tap their weights; for an average, the counts of taps of the
 * rows. other is the residual, in the layout of the output; for an average, the counts of taps of the columns. sizes
 * points to longs: {@link Size}, then for each tap the distances in bytes of its first input from in, and of its
 * weights from weights.
 */
final class PlaneTile implements KernelFamily {
    static final String NAME = "plane.f32";
    static final int MAX_CHANNELS = 4;
    static final int MAX_VECTORS = 8;

    /** The positions of the sizes in their block of memory; distances are in bytes. */
    enum Size {
        ROWS,
        COLUMNS,
        /** The distance from the end of the whole vectors of a row to the next row. */
        IN_NEXT,
        OUT_NEXT,
        OTHER_NEXT,
        /** The distance from output channel to output channel, also in the residual. */
        OUT_CHANNEL,
        TAPS
    }

    /**
     * The parameters of one member of the family.
     *
     * @param channels output channels that are computed at once
     * @param vectors vectors of a tile
     * @param rest vectors behind the last whole tile, the last of which may be partial
     * @param averages whether a sum is divided
     */
    record Variant(Combination kind, int channels, int vectors, int rest, Expr each, Expr after, boolean averages) {
        KernelKey key() {
            return KernelKey.of(NAME)
                    .with("op", kind)
                    .with("channels", channels)
                    .with("vectors", vectors)
                    .with("rest", rest)
                    .with("each", ExprText.print(each))
                    .with("after", ExprText.print(after))
                    .with("average", averages ? 1 : 0);
        }

        static Variant of(KernelKey key) {
            key.onlyHas("op", "channels", "vectors", "rest", "each", "after", "average");
            Combination kind = key.oneOf("op", Combination.values());
            int channels = key.number("channels", 1, MAX_CHANNELS);
            int vectors = key.number("vectors", 1, MAX_VECTORS);
            int rest = key.number("rest", 0, vectors);
            Expr each = expression(key, "each");
            Expr after = expression(key, "after");
            boolean averages = key.number("average", 0, 1) == 1;
            boolean weighted = kind == Combination.WEIGHTED;
            if (!weighted && (channels > 1 || ImageEpilogues.readsResidual(after))
                    || ImageEpilogues.readsResidual(each)) {
                throw new IllegalArgumentException(
                        "kernel key " + key + ": only what is weighted has channels and a residual");
            }
            if (averages && kind != Combination.SUM) {
                throw new IllegalArgumentException("kernel key " + key + ": the parameter average is not of a sum");
            }
            return new Variant(kind, channels, vectors, rest, each, after, averages);
        }

        private static Expr expression(KernelKey key, String name) {
            Expr expression = ImageEpilogues.read(key, name);
            if (expression == null) {
                throw new IllegalArgumentException("kernel key " + key + ": the parameter " + name + " is nothing");
            }
            return expression;
        }
    }

    /**
     * Returns the most vectors of a tile for some channels, beside whose sums there are the weights, an input and a
     * mask.
     */
    static int mostVectors(Target target, int channels) {
        return Math.clamp((target.vectors() - channels - 2) / channels, 1, MAX_VECTORS);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new PlaneWriter(key.toString(), target, Variant.of(key)).program();
    }
}
