package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.kernels.cast.Cast;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Casts that are no part of an expression. */
public final class CastRules {
    private CastRules() {}

    /** The key of a driver. */
    static boolean lower(LoweringContext op) {
        return cast(op, op.in(0), op.out());
    }

    /** Adds a cast of a value of a node; false where there is none between such types. */
    public static boolean cast(LoweringContext op, ValueState value, ValueState result) {
        NumberType from = DataTypes.number(value.type());
        NumberType to = DataTypes.number(result.type());
        if (from == null
                || to == null
                || value.type().bits() < Byte.SIZE
                || result.type().bits() < Byte.SIZE) {
            return false;
        }
        if (from == to) {
            op.lowering().provide(result, op.lowering().view(value));
            return true;
        }
        Cast cast = op.environment()
                .driver(
                        List.of(Cast.class, from, to),
                        () -> new Cast(op.environment().kernels(), from, to));
        View source = op.lowering().dense(value);
        View target = op.lowering().allocate(result);
        long count = value.elements();
        op.lowering()
                .add(ProgramStep.of(
                                () -> "cast " + from + " to " + to, op.node().name())
                        .reading(source)
                        .writing(target)
                        .calling(memory -> {
                            MemorySegment in = memory.segment(source);
                            MemorySegment out = memory.segment(target);
                            return crew -> cast.run(in, out, count, crew);
                        }));
        return true;
    }
}
