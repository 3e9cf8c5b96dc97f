package dev.millrace.codegen.program;

/** Writes sums over the lanes of a vector, from the first one up to each, by shifting by 1, 2, 4, ... lanes. */
public final class LaneSums {
    private LaneSums() {}

    /**
     * Lane i of the result is the sum of lanes 0 to i.
     *
     * @param add {@link BinaryOp#ADD} or {@link BinaryOp#INT_ADD}
     */
    public static VectorVar upTo(ProgramBuilder builder, BinaryOp add, VectorVar from) {
        VectorVar sums = from;
        for (int distance = 1; distance < builder.target().lanes(); distance *= 2) {
            sums = builder.binary(add, sums, shifted(builder, sums, distance));
        }
        return sums;
    }

    /** Lane i of the result is lane {@code i - distance}, or zero where that does not exist. */
    public static VectorVar shifted(ProgramBuilder builder, VectorVar from, int distance) {
        int[] lanes = new int[builder.target().lanes()];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = i < distance ? Step.Permute.ZERO_LANE : i - distance;
        }
        return builder.permute(from, lanes);
    }

    /** The ints 0, 1, 2, ... */
    public static VectorVar laneNumbers(ProgramBuilder builder) {
        VectorVar ones = builder.vector("ones");
        builder.set(ones, Constant.ofBits(1));
        return builder.binary(BinaryOp.INT_SUB, upTo(builder, BinaryOp.INT_ADD, ones), Constant.ofBits(1));
    }
}
