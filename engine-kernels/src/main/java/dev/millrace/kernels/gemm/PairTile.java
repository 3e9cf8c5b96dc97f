package dev.millrace.kernels.gemm;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.DotOp;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.Target;

/**
 * Columns of tiles with the arguments of {@link GemmTile}, whose elements of A and B are pairs of bfloat16: two of a row
 * of A, or of a column of B, that lie together. Depth is counted in pairs. Only for targets with {@link DotOp#BF16}.
 */
public final class PairTile implements KernelFamily {
    public static final String NAME = "gemm.bf16";

    /**
     * One member of the family.
     *
     * @param rows of a tile, 1 to 6
     * @param vectors in a row of a tile, 1 to 4
     * @param masked whether the last vector is written in part
     * @param accumulate whether the product is added to C
     * @param fetched whether B comes from far and is asked for ahead of its time
     * @param epilogue what follows; {@link Epilogue#NONE} while K is not done
     */
    public record Variant(
            int rows, int vectors, boolean masked, boolean accumulate, boolean fetched, Epilogue epilogue) {
        public KernelKey key() {
            KernelKey key = KernelKey.of(NAME)
                    .with("rows", rows)
                    .with("vectors", vectors)
                    .with("masked", masked ? 1 : 0)
                    .with("accumulate", accumulate ? 1 : 0)
                    .with("fetched", fetched ? 1 : 0);
            return epilogue.addTo(key);
        }

        static Variant of(KernelKey key) {
            key.onlyHas(
                    "rows",
                    "vectors",
                    "masked",
                    "accumulate",
                    "fetched",
                    Epilogue.EXPRESSION,
                    Epilogue.OPERANDS,
                    Epilogue.OUTPUT);
            return new Variant(
                    key.number("rows", 1, GemmTile.MAX_ROWS),
                    key.number("vectors", 1, GemmTile.MAX_VECTORS),
                    key.number("masked", 0, 1) == 1,
                    key.number("accumulate", 0, 1) == 1,
                    key.number("fetched", 0, 1) == 1,
                    Epilogue.of(key));
        }

        GemmTile.Variant ofWords() {
            Fetch fetch = fetched ? Fetch.SOON : Fetch.NONE;
            return new GemmTile.Variant(rows, vectors, masked, accumulate, false, false, 1, fetch, epilogue);
        }
    }

    /** Whether a machine has what these tiles are made of. */
    public static boolean fits(Target target) {
        return target.dots().contains(DotOp.BF16);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        Variant variant = Variant.of(key);
        if (!fits(target)) {
            throw new IllegalArgumentException(
                    "kernel key " + key + ": " + target.name() + " has no products of bfloat16");
        }
        return new GemmTileWriter(key.toString(), target, variant.ofWords(), DotOp.BF16).program();
    }
}
