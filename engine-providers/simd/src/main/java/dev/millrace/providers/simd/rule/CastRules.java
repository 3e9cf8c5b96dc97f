package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.kernels.cast.Cast;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.providers.simd.lower.DataTypes;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.program.Step;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;

/** Casts that are no part of an expression. */
final class CastRules {
    private CastRules() {}

    /** The key of a driver. */
    private record Driver(NumberType from, NumberType to) {}

    static boolean lower(Op op) {
        ElementType type = op.in(0).type();
        NumberType from = DataTypes.number(type);
        NumberType to = DataTypes.number(op.out().type());
        if (from == null
                || to == null
                || type.bits() < Byte.SIZE
                || op.out().type().bits() < Byte.SIZE) {
            return false;
        }
        if (from == to) {
            op.lowering().provide(op.out(), op.lowering().view(op.in(0)));
            return true;
        }
        Cast cast =
                op.kit().driver(new Driver(from, to), () -> new Cast(op.kit().kernels(), from, to));
        View source = op.lowering().dense(op.in(0));
        View target = op.lowering().allocate(op.out());
        long count = op.in(0).elements();
        op.lowering()
                .add(Step.of(() -> "cast " + from + " to " + to, op.node().name())
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
