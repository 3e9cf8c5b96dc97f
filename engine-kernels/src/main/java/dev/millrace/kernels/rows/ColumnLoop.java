package dev.millrace.kernels.rows;

import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The writer of a loop over contiguous columns: some vectors of them at a time, so that memory is read in runs, then
 * one vector at a time, then the rest of one.
 */
public final class ColumnLoop {
    private final ProgramBuilder builder;

    public ColumnLoop(ProgramBuilder builder) {
        this.builder = builder;
    }

    /** The body of the loop for some columns. */
    public interface Strip {
        /**
         * Adds the steps for a strip.
         *
         * @param vectors the number of vectors side by side
         * @param offset the offset of the first of them in its row, in bytes
         * @param mask the lanes that belong to a column, or null for all
         */
        void columns(int vectors, ScalarVar offset, @Nullable MaskVar mask);
    }

    /**
     * Adds the loops over {@code columns} columns of elements of 4 bytes.
     *
     * @param most vectors in a strip
     */
    public void over(ScalarVar columns, int most, Strip strip) {
        int lanes = builder.target().lanes();
        ScalarVar left = builder.copy(columns, "left");
        ScalarVar offset = builder.scalar("offset");
        builder.set(offset, 0);
        for (int vectors = most; vectors >= 1; vectors = vectors > 1 ? 1 : 0) {
            try (var _ = builder.loop(left, vectors * lanes)) {
                strip.columns(vectors, offset, null);
                builder.advance(offset, vectors * lanes * Float.BYTES);
            }
        }
        try (var _ = builder.ifNotZero(left)) {
            strip.columns(1, offset, builder.prefixMask(left));
        }
    }

    /**
     * Adds the loop down the rows of a strip.
     *
     * @param offset the offset of the strip in the first row
     * @param stride bytes from row to row
     * @param row the steps for each row, given the offset of the strip there
     */
    public void down(ScalarVar offset, ScalarVar rows, ScalarVar stride, Consumer<ScalarVar> row) {
        ScalarVar here = builder.copy(offset, "here");
        ScalarVar left = builder.copy(rows, "left");
        try (var _ = builder.loop(left, 1)) {
            row.accept(here);
            builder.advance(here, stride);
        }
    }
}
