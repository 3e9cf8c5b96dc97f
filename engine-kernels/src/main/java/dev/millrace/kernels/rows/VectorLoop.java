package dev.millrace.kernels.rows;

import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/** Cuts a row into some vectors at a time, then one at a time, then what is left of one. */
final class VectorLoop {
    private VectorLoop() {}

    /**
     * Adds the loops.
     *
     * @param left how many elements there are; what whole vectors leave stays in it
     * @param offset goes on behind each whole vector
     * @param step what it goes on by for an element
     * @param body what to do with a vector under a mask or none; the number says which one of a strip it is
     */
    static void over(
            ProgramBuilder builder,
            ScalarVar left,
            int vectors,
            ScalarVar offset,
            int step,
            ObjIntConsumer<@Nullable MaskVar> body) {
        int lanes = builder.target().lanes();
        for (int strip = vectors; strip >= 1; strip = strip > 1 ? 1 : 0) {
            try (var _ = builder.loop(left, strip * lanes)) {
                for (int i = 0; i < strip; i++) {
                    body.accept(null, i);
                }
                builder.advance(offset, strip * lanes * step);
            }
        }
        try (var _ = builder.ifNotZero(left)) {
            body.accept(builder.prefixMask(left), 0);
        }
    }
}
