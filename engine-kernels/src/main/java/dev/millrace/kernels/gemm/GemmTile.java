package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import java.nio.ByteBuffer;

/**
 * The micro-kernel of fp32 products, f(A, B, C, arguments, strides, sizes): computes a column of tiles. Each tile is
 * {@code rows} of A times one panel of B of {@code vectors} width, or several; the kernel goes down the rows.
 *
 * <p>strides is lda | ldc &lt;&lt; 32, in bytes. sizes is depth | tail &lt;&lt; {@value #TAIL_SHIFT} | tiles &lt;&lt;
 * 32: the number of elements of K, of lanes of the last vector that belong to C (masked kernels only), and of tiles.
 *
 * <p>arguments is a block that is read only by variants that need it: the distance of the rows of B in bytes (B not
 * packed), a pointer to earlier sums and their stride in bytes (accumulating into bytes), the distance of the panels in
 * bytes (several packed panels, or the next one prefetched), a pointer to memory for the sums of a tile, then a pointer
 * and a stride in bytes for each operand of the epilogue. Pointers to operands by column are to the first column of the
 * tile, pointers to operands by row to the first row.
 */
public final class GemmTile implements KernelFamily {
    public static final int MAX_ROWS = 6;
    public static final int MAX_VECTORS = 4;
    public static final int MAX_PANELS = 4;
    public static final int MAX_DEPTH = (1 << 20) - 1;
    public static final int TAIL_SHIFT = 20;
    /** The size of a block of arguments, including the memory for sums that it points to. */
    public static final int ARGUMENT_BYTES = 2048;

    /** The offset of that memory from the arguments. */
    private static final int SUMS = 512;
    /** The offset of the operands of the epilogue in the arguments. */
    public static final int OPERANDS = EpilogueWriter.OPERANDS;

    static final int MAX_TAIL = 31;

    public static final String NAME = "gemm.f32";

    /**
     * The parameters of one member of the family, or of the family of {@link PairTile}.
     *
     * @param rows rows of a tile, 1 to 6
     * @param vectors vectors in a row of a tile, 1 to 4
     * @param masked whether the last vector is read and written in part
     * @param accumulate whether the product is added to C
     * @param columnsOfA whether A is transposed: each of its columns is contiguous, and columns are lda apart
     * @param rowsOfB whether B is not packed; its row stride is then in the arguments
     * @param panels the number of panels of B that are read side by side, each {@code vectors} wide
     * @param fetch the part of B that is prefetched; {@link Fetch#NEXT} with one panel only
     * @param epilogue the epilogue of the last block of K, {@link Epilogue#NONE} before that
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
        /** Creates a variant for A by rows and one panel of a packed B in the near caches. */
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

    /** The size of the arguments for an epilogue with the given number of operands. */
    public static long argumentBytes(int operands) {
        return OPERANDS + (long) operands * EpilogueWriter.BYTES_PER_OPERAND;
    }

    /** Writes into the arguments the address of the memory for sums, which follows them. */
    public static void setSums(ByteBuffer arguments, long pointer) {
        arguments.putLong(GemmTileWriter.SCRATCH, pointer + SUMS);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new GemmTileWriter(key.toString(), target, Variant.of(key), null).program();
    }
}
