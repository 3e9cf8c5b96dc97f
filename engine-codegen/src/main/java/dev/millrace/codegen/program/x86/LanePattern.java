package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.program.Step;
import java.util.List;

/** The instruction operands for a constant permutation. */
final class LanePattern {
    static final int NONE = -1;

    private static final int BLOCK = 4;

    private LanePattern() {}

    /**
     * Returns the constant of vpermilps, if all blocks of four lanes have the same permutation within the block, else
     * NONE.
     */
    static int inBlocks(List<Integer> lanes) {
        int constant = 0;
        for (int i = 0; i < lanes.size(); i++) {
            int lane = lanes.get(i);
            int block = i - i % BLOCK;
            if (lane < block || lane >= block + BLOCK || lane - block != lanes.get(i % BLOCK)) {
                return NONE;
            }
            constant |= i < BLOCK ? lane << 2 * i : 0;
        }
        return constant;
    }

    static int[] numbers(List<Integer> lanes) {
        return lanes.stream().mapToInt(lane -> Math.max(lane, 0)).toArray();
    }

    /** Returns a vector mask with all bits set in the lanes that do not become zero. */
    static int[] ones(List<Integer> lanes) {
        return lanes.stream()
                .mapToInt(lane -> lane == Step.Permute.ZERO_LANE ? 0 : -1)
                .toArray();
    }
}
