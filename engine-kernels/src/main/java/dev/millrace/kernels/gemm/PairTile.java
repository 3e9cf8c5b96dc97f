package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.DotOp;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;

/**
 * Columns of tiles with the arguments of {@link GemmTile}, whose elements of A and B are pairs of bfloat16: two of a row
 * of A, or of a column of B, that lie together. Depth is counted in pairs. A lies by rows, B in one packed panel that
 * is fetched {@linkplain Fetch#SOON soon} or not at all. Only for targets with {@link DotOp#BF16}.
 */
public final class PairTile implements KernelFamily {
    public static final String NAME = "gemm.bf16";

    private static final Fetch[] FETCHES = {Fetch.NONE, Fetch.SOON};

    /** The kernel that does with pairs what a tile does with floats. */
    public static KernelKey key(GemmTile.Variant variant) {
        return variant.key(NAME);
    }

    /** Whether a machine has what these tiles are made of. */
    public static boolean fits(Target target) {
        return target.dots().contains(DotOp.BF16);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        GemmTile.Variant variant = GemmTile.Variant.of(key);
        key.number("acolumns", 0, 0);
        key.number("brows", 0, 0);
        key.number("panels", 1, 1);
        key.oneOf("fetch", FETCHES);
        if (!fits(target)) {
            throw new IllegalArgumentException(
                    "kernel key " + key + ": " + target.name() + " has no products of bfloat16");
        }
        return new GemmTileWriter(key.toString(), target, variant, DotOp.BF16).program();
    }
}
