package dev.millrace.kernels.resize;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * f(from, to, count, rows): each element of 32 bits several times, one behind the other, and each row of what this gives
 * several times.
 */
final class RepeatElements implements KernelFamily {
    /** The most times that an element or a row is there. */
    static final int MAX_TIMES = 4;

    static final String NAME = "resize.repeat";

    /**
     * One member of the family.
     *
     * @param times for elements
     * @param copies for rows
     */
    static KernelKey key(int times, int copies) {
        return KernelKey.of(NAME).with("times", times).with("copies", copies);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("times", "copies");
        return new Writer(key, target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final int times;
        private final int lanes;
        private final ScalarVar from;
        private final ScalarVar to;
        private final ScalarVar count;
        private final ScalarVar rows;
        private final ScalarVar[] copies;

        Writer(KernelKey key, Target target) {
            times = key.number("times", 1, MAX_TIMES);
            copies = new ScalarVar[key.number("copies", 1, MAX_TIMES)];
            lanes = target.lanes();
            builder = new ProgramBuilder(key.toString(), target);
            from = builder.parameter("from");
            to = builder.parameter("to");
            count = builder.parameter("count");
            rows = builder.parameter("rows");
        }

        Program program() {
            ScalarVar width = builder.scalar("width");
            builder.scalar(width, ScalarOp.MUL, count, 4 * times);
            try (var _ = builder.loop(rows, 1)) {
                for (int i = 0; i < copies.length; i++) {
                    copies[i] = builder.copy(to, "copy");
                    builder.advance(to, width);
                }
                ScalarVar left = builder.copy(count, "left");
                try (var _ = builder.loop(left, lanes)) {
                    repeat(builder.load(Address.at(from, 0)), null);
                    builder.advance(from, 4 * lanes);
                    for (ScalarVar copy : copies) {
                        builder.advance(copy, times * 4 * lanes);
                    }
                }
                try (var _ = builder.ifNotZero(left)) {
                    repeat(builder.load(Address.at(from, 0), builder.prefixMask(left)), left);
                    builder.scalar(left, ScalarOp.SHL, left, 2);
                    builder.advance(from, left);
                }
            }
            return builder.build();
        }

        /** @param some how many elements there are, if there are fewer than lanes */
        private void repeat(VectorVar vector, @Nullable ScalarVar some) {
            for (int part = 0; part < times; part++) {
                int first = part * lanes;
                int[] places = new int[lanes];
                Arrays.setAll(places, i -> (first + i) / times);
                VectorVar repeated = times == 1 ? vector : builder.permute(vector, places);
                MaskVar mask = some == null ? null : masked(some, first);
                for (ScalarVar copy : copies) {
                    builder.store(Address.at(copy, 4 * first), repeated, mask);
                }
            }
        }

        private MaskVar masked(ScalarVar elements, int first) {
            ScalarVar results = builder.scalar("results");
            builder.scalar(results, ScalarOp.MUL, elements, times);
            builder.scalar(results, ScalarOp.SUB, results, first);
            builder.scalar(results, ScalarOp.MAX, results, 0);
            builder.scalar(results, ScalarOp.MIN, results, lanes);
            return builder.prefixMask(results);
        }
    }
}
