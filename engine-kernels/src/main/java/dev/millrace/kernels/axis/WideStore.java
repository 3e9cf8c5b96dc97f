package dev.millrace.kernels.axis;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/** Writes ints from 0 on as numbers of 64 bits. */
final class WideStore {
    private WideStore() {}

    /** @param count how many lanes are written, all if null */
    static void write(ProgramBuilder builder, ScalarVar to, VectorVar numbers, @Nullable ScalarVar count) {
        int lanes = builder.target().lanes();
        for (int half = 0; half < 2; half++) {
            int[] places = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                places[i] = i % 2 == 0 ? half * lanes / 2 + i / 2 : Step.Permute.ZERO_LANE;
            }
            Address at = Address.at(to, half * 4 * lanes);
            VectorVar wide = builder.permute(numbers, places);
            if (count == null) {
                builder.store(at, wide);
            } else {
                ScalarVar words = builder.scalar("words");
                builder.scalar(words, ScalarOp.SHL, count, 1);
                builder.scalar(words, ScalarOp.SUB, words, half * lanes);
                builder.scalar(words, ScalarOp.MAX, words, 0);
                builder.scalar(words, ScalarOp.MIN, words, lanes);
                builder.store(at, wide, builder.prefixMask(words));
            }
        }
    }
}
