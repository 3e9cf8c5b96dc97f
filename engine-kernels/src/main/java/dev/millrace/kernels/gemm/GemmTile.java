package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import java.nio.ByteBuffer;

/**
 * A column of tiles: f(A, B, C, arguments, strides, sizes). Each tile is {@code rows} of A times one panel of B of
 * {@code vectors} width, or several; the kernel goes down the rows.
 *
 * <p>strides is lda | ldc &lt;&lt; 32, in bytes. sizes is depth | tail &lt;&lt; {@value #TAIL_SHIFT} | tiles &lt;&lt;
 * 32: how much of K, how many lanes of the last vector belong to C (masked kernels only), how many tiles.
 *
 * <p>arguments is a block that is read only by variants that need it: the distance of the rows of B in bytes (B not
 * packed), a pointer to earlier sums and their stride in bytes (accumulating into bytes), the distance of the panels in
 * bytes (several packed panels, or the next one fetched), a pointer to room for the sums of a tile, then a pointer and a
 * stride in bytes for each operand of the epilogue. Pointers to what belongs to columns are to the first column of the
 * tile, to what belongs to rows to the first row.
 */
public final class GemmTile implements KernelFamily {
    public static final int MAX_ROWS = 6;
    public static final int MAX_VECTORS = 4;
    public static final int MAX_PANELS = 4;
    public static final int MAX_DEPTH = (1 << 20) - 1;
    public static final int TAIL_SHIFT = 20;
    /** What a block of arguments takes with the room for sums that it points to. */
    public static final int ARGUMENT_BYTES = 2048;

    /** Where that room is behind the arguments. */
    private static final int SUMS = 512;
    /** Where in the arguments the operands of the epilogue begin. */
    public static final int OPERANDS = EpilogueWriter.OPERANDS;

    static final int MAX_TAIL = 31;

    public static final String NAME = "gemm.f32";

    /**
     * One member of the family, or of that of {@link PairTile}.
     *
     * @param rows of a tile, 1 to 6
     * @param vectors in a row of a tile, 1 to 4
     * @param masked whether the last vector is read and written in part
     * @param accumulate whether the product is added to C
     * @param columnsOfA whether A is transposed: its columns lie together, lda apart
     * @param rowsOfB whether B is not packed: its rows are as far apart as the arguments say
     * @param panels how many panels of B are read side by side, each {@code vectors} wide
     * @param fetch what of B is asked for ahead of its time; {@link Fetch#NEXT} with one panel only
     * @param epilogue what follows; {@link Epilogue#NONE} while K is not done
     */
    public record Variant(
            int rows,
            int vectors,
            boolean masked,
            boolean accumulate,
            boolean columnsOfA,
            boolean rowsOfB,
            int panels,
            Fetch fetch,
            Epilogue epilogue) {
        /** A by rows, a panel of packed B that is near. */
        public Variant(int rows, int vectors, boolean masked, boolean accumulate, Epilogue epilogue) {
            this(rows, vectors, masked, accumulate, false, false, 1, Fetch.NONE, epilogue);
        }

        public KernelKey key() {
            return key(NAME);
        }

        KernelKey key(String family) {
            KernelKey key = KernelKey.of(family)
                    .with("rows", rows)
                    .with("vectors", vectors)
                    .with("masked", masked ? 1 : 0)
                    .with("accumulate", accumulate ? 1 : 0)
                    .with("acolumns", columnsOfA ? 1 : 0)
                    .with("brows", rowsOfB ? 1 : 0)
                    .with("panels", panels)
                    .with("fetch", fetch);
            return epilogue.addTo(key);
        }

        static Variant of(KernelKey key) {
            key.onlyHas(
                    "rows",
                    "vectors",
                    "masked",
                    "accumulate",
                    "acolumns",
                    "brows",
                    "panels",
                    "fetch",
                    Epilogue.EXPRESSION,
                    Epilogue.OPERANDS,
                    Epilogue.OUTPUT);
            Fetch fetch = key.oneOf("fetch", Fetch.values());
            int panels = key.number("panels", 1, MAX_PANELS);
            if (fetch.isNext() && panels > 1) {
                throw new IllegalArgumentException(
                        "kernel key " + key + ": the parameter fetch is next, but panels is " + panels);
            }
            return new Variant(
                    key.number("rows", 1, MAX_ROWS),
                    key.number("vectors", 1, MAX_VECTORS),
                    key.number("masked", 0, 1) == 1,
                    key.number("accumulate", 0, 1) == 1,
                    key.number("acolumns", 0, 1) == 1,
                    key.number("brows", 0, 1) == 1,
                    panels,
                    fetch,
                    Epilogue.of(key));
        }
    }

    /** What the arguments take where an epilogue has so many operands. */
    public static long argumentBytes(int operands) {
        return OPERANDS + (long) operands * EpilogueWriter.BYTES_PER_OPERAND;
    }

    /** Says in the arguments where room for sums is, which lies behind them. */
    public static void setSums(ByteBuffer arguments, long pointer) {
        arguments.putLong(GemmTileWriter.SCRATCH, pointer + SUMS);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new GemmTileWriter(key.toString(), target, Variant.of(key), null).program();
    }
}
