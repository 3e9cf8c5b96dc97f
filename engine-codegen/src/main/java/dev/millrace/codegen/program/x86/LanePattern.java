package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.program.Step;
import java.util.List;

/** What instructions want to know of a constant permutation. */
final class LanePattern {
    static final int NONE = -1;

    private static final int BLOCK = 4;

    private LanePattern() {}

    /** The constant of vpermilps, if all blocks of four lanes are permuted within themselves and alike, or NONE. */
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

    /** All bits where a lane is not to become zero. */
    static int[] ones(List<Integer> lanes) {
        return lanes.stream()
                .mapToInt(lane -> lane == Step.Permute.ZERO_LANE ? 0 : -1)
                .toArray();
    }
}
