package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.Call;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The rule of AppendSteps, which writes rows behind the valid steps of a cache, in place if the cache has room. */
public final class AppendStepsRule {
    private static final int STEPS = 2;
    private static final int BEFORE = 2;
    private static final long[] ONES = {1, 1, 1, 1};

    private AppendStepsRule() {}

    public static @Nullable Rule named(String name) {
        return name.equals(OpName.APPEND_STEPS) ? AppendStepsRule::lower : null;
    }

    private static boolean lower(LoweringContext op) {
        PartitionCompiler lowering = op.lowering();
        Shape rows = op.in(1).shape();
        Shape room = op.out().shape();
        Shape there = op.in(0).shape();
        long before = op.content(BEFORE).longs()[0];
        if (before < 0 || before > Math.min(there.dim(STEPS), room.dim(STEPS) - rows.dim(STEPS))) {
            return false;
        }
        View past = lowering.dense(op.in(0));
        View whole = lowering.allocate(op.out());
        long row = room.dim(3) * op.out().type().bits() / Byte.SIZE;
        var kept = new Kept(room.dim(0) * room.dim(1), before * row, there.dim(STEPS) * row, room.dim(STEPS) * row);
        lowering.add(ProgramStep.of("steps of a cache", op.node().name())
                .reading(past)
                .writing(whole)
                .calling(memory -> kept.of(memory.segment(past), memory.segment(whole))));
        lowering.copy(
                lowering.view(op.in(1)),
                whole.sliced(new long[] {0, 0, before, 0}, ONES, rows),
                op.node().name());
        if (there.equals(room)) {
            lowering.mayReuse(whole, past);
        }
        return true;
    }

    /**
     * The valid steps of a cache, in bytes of a head.
     *
     * @param heads the number of heads of all entries of the batch
     */
    private record Kept(long heads, long valid, long ofPast, long ofWhole) {
        /** Returns a call that copies them and clears what is behind them, unless both caches are one memory. */
        Call of(MemorySegment past, MemorySegment whole) {
            return _ -> {
                for (long head = 0; head < heads && past.address() != whole.address(); head++) {
                    MemorySegment.copy(past, head * ofPast, whole, head * ofWhole, valid);
                    whole.asSlice(head * ofWhole + valid, ofWhole - valid).fill((byte) 0);
                }
            };
        }
    }
}
