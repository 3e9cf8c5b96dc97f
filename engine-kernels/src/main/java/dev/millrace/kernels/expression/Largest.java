package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;

/** The largest of many floats, one after another: NaN where one is. */
public final class Largest {
    private Largest() {}

    /** Writes the steps that leave the larger one in {@code result}. */
    public static void keep(ProgramBuilder builder, VectorVar result, VectorVar value) {
        MaskVar isNaN = builder.compare(Comparison.UNORDERED, value, value);
        VectorVar larger = builder.binary(BinaryOp.MAX, value, result);
        builder.set(result, builder.select(isNaN, value, larger));
    }
}
