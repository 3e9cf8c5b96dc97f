package dev.millrace.providers.simd;

import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.Scratch;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Products of a float matrix by packed weights, tile by tile. It owns the packed layout; who calls it knows only how
 * rows and columns are cut into tiles.
 */
interface ProductKernel {
    /** The name of the packed layout. Another layout, or another meaning of the same bytes, has another name. */
    String layout();

    /** The size of k × n weights when packed; throws {@link ArithmeticException} where it exceeds a long. */
    long packedBytes(long k, long n);

    /**
     * Packs weights.
     *
     * @param weights k rows of n floats, or n rows of k where {@code transposed}
     * @param packed as large as {@link #packedBytes} says
     */
    void pack(MemorySegment weights, boolean transposed, long k, long n, MemorySegment packed);

    /** The most rows of a tile. */
    int rows();

    /** The columns of every tile but those at the right edge; at most {@link Expression#BLOCK}. */
    int columns();

    /**
     * Computes a tile: {@code rows} rows from {@code row} on of the {@code panel}-th band of columns, and gives them to
     * {@code sink} row by row. A row's result depends on nothing but its own elements, the weights and the bias.
     */
    void tile(Matrices matrices, LaunchContext context, long row, int rows, int panel, Scratch scratch, RowSink sink);

    /** The scratch arrays that a sink may use. */
    int[] freeSlots();

    /** What a product reads. */
    record Matrices(
            long k,
            long n,
            Place x,
            MemorySegment packed,
            @Nullable Place bias) {}

    /** Takes finished rows. */
    interface RowSink {
        /** Takes {@code width} elements of {@code values} from {@code at} on; they stand at {@code position} in the result. */
        void accept(LaunchContext context, Scratch scratch, float[] values, int at, long position, int width);
    }
}
