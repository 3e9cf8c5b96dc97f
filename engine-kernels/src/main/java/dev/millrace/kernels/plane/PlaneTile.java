package dev.millrace.kernels.plane;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.image.Activations;

/**
 * Rows of windows over plain images, to one or several channels: f(in, weights, out, other, sizes).
 *
 * <p>weights are the biases of the channels, then tap by tap their weights; for an average, how many taps of each row
 * count. other is the residual, which lies as the output does; for an average, how many taps of each column count. sizes
 * is memory of longs: {@link Size}, then for each tap how far its first input is from in, and its weights from weights,
 * in bytes.
 */
final class PlaneTile implements KernelFamily {
    static final String NAME = "plane.f32";
    static final int MAX_CHANNELS = 4;
    static final int MAX_VECTORS = 8;

    /** The places of the sizes in their memory; distances are in bytes. */
    enum Size {
        ROWS,
        COLUMNS,
        /** From the end of the whole vectors of a row to the next row. */
        IN_NEXT,
        OUT_NEXT,
        OTHER_NEXT,
        /** From output channel to output channel, and in the residual. */
        OUT_CHANNEL,
        TAPS
    }

    /**
     * One member of the family.
     *
     * @param channels of the output that are computed at once
     * @param vectors of a tile
     * @param rest vectors behind the last whole tile, of which the last may not be whole
     * @param averages whether a sum is divided
     */
    record Variant(PlaneOp.Kind kind, int channels, int vectors, int rest, Expr each, Expr after, boolean averages) {
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
            PlaneOp.Kind kind = key.oneOf("op", PlaneOp.Kind.values());
            int channels = key.number("channels", 1, MAX_CHANNELS);
            int vectors = key.number("vectors", 1, MAX_VECTORS);
            int rest = key.number("rest", 0, vectors);
            Expr each = expression(key, "each");
            Expr after = expression(key, "after");
            boolean averages = key.number("average", 0, 1) == 1;
            boolean weighted = kind == PlaneOp.Kind.WEIGHTED;
            if (!weighted && (channels > 1 || Activations.readsResidual(after)) || Activations.readsResidual(each)) {
                throw new IllegalArgumentException(
                        "kernel key " + key + ": only what is weighted has channels and a residual");
            }
            if (averages && kind != PlaneOp.Kind.SUM) {
                throw new IllegalArgumentException("kernel key " + key + ": the parameter average is not of a sum");
            }
            return new Variant(kind, channels, vectors, rest, each, after, averages);
        }

        private static Expr expression(KernelKey key, String name) {
            Expr expression = Activations.read(key, name);
            if (expression == null) {
                throw new IllegalArgumentException("kernel key " + key + ": the parameter " + name + " is nothing");
            }
            return expression;
        }
    }

    /** Vectors of a tile of so many channels: beside the sums are their weights, an input and a mask. */
    static int mostVectors(Target target, int channels) {
        return Math.clamp((target.vectors() - channels - 2) / channels, 1, MAX_VECTORS);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new PlaneWriter(key.toString(), target, Variant.of(key)).program();
    }
}
