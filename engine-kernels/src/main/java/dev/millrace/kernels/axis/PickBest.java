package dev.millrace.kernels.axis;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.Arrays;
import java.util.function.BiConsumer;

/**
 * Takes the largest keys of {@link SortKeys} one after the other: f(work, data, values, places, sizes). Of equal ones
 * the first is taken. The data's word at the same place goes to the values, the place itself to the places, a number of
 * 64 bits. The work is a vector for what is read back, then the keys; those that are taken are lost.
 *
 * <p>sizes is memory of longs: how many are taken; vectors of a group, vectors of largest keys; from the work to the
 * largest ones, in bytes; from word to word of the data and of the values, in bytes.
 */
final class PickBest implements KernelFamily {
    static final String NAME = "select.pick";

    private enum Size {
        WANTED,
        GROUP_VECTORS,
        TOP_VECTORS,
        LARGEST_AT,
        STRIDE
    }

    static final int SIZES = Size.values().length;

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    /** The numbers of a call for lines whose words are so many elements apart. */
    static long[] sizes(KeyGroups groups, int wanted, long stride) {
        return new long[] {wanted, groups.vectors(), groups.topVectors(), groups.largestAt(), 4 * stride};
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int lanes;
        private final ScalarVar work;
        private final ScalarVar data;
        private final ScalarVar values;
        private final ScalarVar places;
        private final ScalarVar sizes;
        private final VectorVar laneNumbers;
        /** The first lane, then zeros. */
        private final int[] alone;

        Writer(KernelKey key, Target target) {
            lanes = target.lanes();
            builder = new ProgramBuilder(key.toString(), target);
            work = builder.parameter("work");
            data = builder.parameter("data");
            values = builder.parameter("values");
            places = builder.parameter("places");
            sizes = builder.parameter("sizes");
            laneNumbers = LaneSums.laneNumbers(builder);
            alone = new int[lanes];
            Arrays.fill(alone, 1, lanes, Step.Permute.ZERO_LANE);
        }

        private ScalarVar size(Size size) {
            return builder.loadLong(sizes, size);
        }

        Program program() {
            ScalarVar largest = builder.copy(work, "largest");
            builder.advance(largest, size(Size.LARGEST_AT));
            ScalarVar left = size(Size.WANTED);
            try (var _ = builder.loop(left, 1)) {
                ScalarVar group = readBack(placeOfLargest(largest, Size.TOP_VECTORS));
                ScalarVar firstKey = builder.scalar("firstKey");
                builder.scalar(firstKey, ScalarOp.MUL, group, size(Size.GROUP_VECTORS));
                builder.scalar(firstKey, ScalarOp.MUL, firstKey, lanes);
                ScalarVar from = builder.scalar("from");
                builder.scalar(from, ScalarOp.SHL, firstKey, 2);
                builder.advance(from, work);
                builder.advance(from, 4 * lanes);
                VectorVar taken = placeOfLargest(from, Size.GROUP_VECTORS);
                ScalarVar place = readBack(taken);
                builder.store(Address.at(work, 0), largestWithout(from, taken));
                builder.move(Address.at(largest, group, 4, 0), Address.at(work, 0), 4);
                builder.store(Address.at(work, 0), spread(SortKeys.NO_KEY));
                builder.move(Address.at(from, place, 4, 0), Address.at(work, 0), 4);
                builder.advance(place, firstKey);
                write(place);
            }
            return builder.build();
        }

        private VectorVar spread(Constant constant) {
            VectorVar spread = builder.vector("spread");
            builder.set(spread, constant);
            return spread;
        }

        private ScalarVar readBack(VectorVar number) {
            builder.store(Address.at(work, 0), number);
            return builder.loadInt(Address.at(work, 0), "number");
        }

        private VectorVar placeOfLargest(ScalarVar start, Size vectors) {
            VectorVar most = spread(SortKeys.NO_KEY);
            VectorVar where = spread(Constant.ZERO);
            overVectors(start, vectors, (some, here) -> {
                MaskVar larger = builder.compare(Comparison.INT_GREATER, some, most);
                builder.set(where, builder.select(larger, here, where));
                builder.binary(most, BinaryOp.INT_MAX, most, some);
            });
            VectorVar ofAll = LaneReduction.write(builder, BinaryOp.INT_MAX, most);
            MaskVar isLargest = builder.compare(Comparison.INT_EQUAL, most, ofAll);
            VectorVar candidates = builder.select(isLargest, where, Constant.ofBits(Integer.MAX_VALUE));
            return LaneReduction.write(builder, BinaryOp.INT_MIN, candidates);
        }

        private VectorVar largestWithout(ScalarVar start, VectorVar taken) {
            VectorVar most = spread(SortKeys.NO_KEY);
            overVectors(start, Size.GROUP_VECTORS, (some, here) -> {
                MaskVar isTaken = builder.compare(Comparison.INT_EQUAL, here, taken);
                VectorVar left = builder.select(isTaken, SortKeys.NO_KEY, some);
                builder.binary(most, BinaryOp.INT_MAX, most, left);
            });
            return LaneReduction.write(builder, BinaryOp.INT_MAX, most);
        }

        /** @param step gets numbers and their places */
        private void overVectors(ScalarVar start, Size vectors, BiConsumer<VectorVar, VectorVar> step) {
            VectorVar here = builder.vector("here");
            builder.set(here, laneNumbers);
            ScalarVar from = builder.copy(start, "from");
            ScalarVar left = size(vectors);
            try (var _ = builder.loop(left, 1)) {
                step.accept(builder.load(Address.at(from, 0)), here);
                builder.binary(here, BinaryOp.INT_ADD, here, Constant.ofBits(lanes));
                builder.advance(from, 4 * lanes);
            }
        }

        private void write(ScalarVar place) {
            builder.store(Address.at(work, 0), builder.permute(builder.broadcast(place), alone));
            builder.move(Address.at(places, 0), Address.at(work, 0), 8);
            ScalarVar stride = size(Size.STRIDE);
            builder.scalar(place, ScalarOp.MUL, place, stride);
            builder.move(Address.at(values, 0), Address.at(data, place, 1, 0), 4);
            builder.advance(values, stride);
            builder.advance(places, stride);
            builder.advance(places, stride);
        }
    }
}
