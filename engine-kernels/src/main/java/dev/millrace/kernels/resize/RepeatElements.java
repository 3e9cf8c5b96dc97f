package dev.millrace.kernels.resize;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import java.util.Arrays;

/** f(from, to, count): each element of 32 bits several times, one behind the other. */
public final class RepeatElements implements KernelFamily {
    /** The most times that an element is there. */
    public static final int MAX_TIMES = 4;

    private static final String NAME = "resize.repeat";

    public static KernelKey key(int times) {
        return KernelKey.of(NAME).with("times", times);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("times");
        int times = key.number("times", 2, MAX_TIMES);
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar to = builder.parameter("to");
        ScalarVar count = builder.parameter("count");
        try (var _ = builder.loop(count, lanes)) {
            VectorVar given = builder.load(Address.at(from, 0));
            for (int part = 0; part < times; part++) {
                builder.store(Address.at(to, part * 4 * lanes), repeated(builder, given, part, times));
            }
            builder.advance(from, 4 * lanes);
            builder.advance(to, times * 4 * lanes);
        }
        try (var _ = builder.ifNotZero(count)) {
            VectorVar given = builder.load(Address.at(from, 0), builder.firstLanes(count));
            ScalarVar some = builder.scalar("some");
            for (int part = 0; part < times; part++) {
                builder.scalar(some, ScalarOp.MUL, count, times);
                builder.scalar(some, ScalarOp.SUB, some, part * lanes);
                builder.scalar(some, ScalarOp.MAX, some, 0);
                builder.scalar(some, ScalarOp.MIN, some, lanes);
                VectorVar result = repeated(builder, given, part, times);
                builder.store(Address.at(to, part * 4 * lanes), result, builder.firstLanes(some));
            }
        }
        return builder.build();
    }

    private static VectorVar repeated(ProgramBuilder builder, VectorVar given, int part, int times) {
        int[] places = new int[builder.target().lanes()];
        Arrays.setAll(places, i -> (part * places.length + i) / times);
        return builder.permute(given, places);
    }
}
