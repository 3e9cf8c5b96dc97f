package dev.millrace.kernels.axis;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;

/** Combines all lanes of ints. */
final class LaneReduction {
    private LaneReduction() {}

    /** All lanes combined, in all lanes. */
    static VectorVar write(ProgramBuilder builder, BinaryOp op, VectorVar from) {
        VectorVar result = from;
        for (int distance = builder.target().lanes() / 2; distance > 0; distance /= 2) {
            result = builder.binary(op, result, builder.permute(result, exchanged(builder, distance)));
        }
        return result;
    }

    /** The numbers of the lanes so far away, on either side. */
    static int[] exchanged(ProgramBuilder builder, int distance) {
        int[] other = new int[builder.target().lanes()];
        for (int i = 0; i < other.length; i++) {
            other[i] = i ^ distance;
        }
        return other;
    }
}
