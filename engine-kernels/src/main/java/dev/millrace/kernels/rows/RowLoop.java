package dev.millrace.kernels.rows;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * The writer of a loop over the elements of a row: some vectors at a time, then one at a time, then the rest of one.
 */
public final class RowLoop {
    private final ProgramBuilder builder;
    private final int unroll;

    /** @param unroll vectors of one iteration, which are numbered */
    public RowLoop(ProgramBuilder builder, int unroll) {
        this.builder = builder;
        this.unroll = unroll;
    }

    /** The body of the loop for one vector of the row. */
    public interface Body {
        /**
         * Adds the steps for a vector.
         *
         * @param number the number of the vector in its iteration; steps with different numbers should not depend on
         *     each other
         * @param offset the offset of the vector from the start of the row, in bytes
         * @param mask the lanes that belong to the row, or null for all
         */
        void vector(int number, ScalarVar offset, int displacement, @Nullable MaskVar mask);
    }

    /** Adds the loops over a row of {@code count} elements of 4 bytes. */
    public void over(ScalarVar count, Body body) {
        int bytes = builder.target().vectorBytes();
        ScalarVar left = builder.copy(count, "left");
        ScalarVar offset = builder.scalar("offset");
        builder.set(offset, 0);
        VectorLoop.over(builder, left, unroll, offset, Float.BYTES, (mask, number) -> {
            body.vector(number, offset, number * bytes, mask);
        });
    }

    /** Returns an address in a row. */
    public static Address at(ScalarVar row, ScalarVar offset, int displacement) {
        return Address.at(row, offset, 1, displacement);
    }

    /** Returns a value, with a constant in the lanes that do not belong to the row. */
    public ProgramValue orElse(@Nullable MaskVar mask, ProgramValue value, Constant outside) {
        return mask == null ? value : builder.select(mask, value, outside);
    }

    /** Returns as many vectors as an iteration has, all set to a constant. */
    public VectorVar[] accumulators(Constant start) {
        VectorVar[] all = new VectorVar[unroll];
        for (int i = 0; i < unroll; i++) {
            all[i] = builder.vector("sum");
            builder.set(all[i], start);
        }
        return all;
    }

    /** Returns all lanes of all accumulators combined, in all lanes. */
    public VectorVar combine(BinaryOp op, VectorVar[] all) {
        VectorVar[] left = all.clone();
        for (int half = unroll / 2; half > 0; half /= 2) {
            for (int i = 0; i < half; i++) {
                left[i] = builder.binary(op, left[i], left[i + half]);
            }
        }
        return builder.reduce(op, left[0]);
    }
}
