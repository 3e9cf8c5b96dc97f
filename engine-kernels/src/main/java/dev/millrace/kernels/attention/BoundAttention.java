package dev.millrace.kernels.attention;

import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.function.IntConsumer;

/** Attention on memory that stays where it is, run again and again by one caller at a time. A run allocates nothing. */
public final class BoundAttention implements IntConsumer {
    private final AttentionCall call;
    private final MemorySegment scratch;
    private final AttentionTask[] parts;
    private final long units;
    private Parallel threads = Parallel.NONE;
    private int tasks;

    BoundAttention(AttentionCall call, MemorySegment scratch, AttentionTask[] parts, long units) {
        this.call = call;
        this.scratch = scratch;
        this.parts = parts;
        this.units = units;
    }

    /** Computes the output. No operand may be freed before it is done. */
    public void run(Parallel parallel) {
        threads = parallel;
        tasks = Math.min(parts.length, parallel.width());
        try {
            if (tasks == 1) {
                accept(0);
            } else if (tasks > 1) {
                parallel.run(tasks, this);
            }
        } finally {
            Reference.reachabilityFence(call);
            Reference.reachabilityFence(scratch);
        }
    }

    /** Does one of the tasks. */
    @Override
    public void accept(int task) {
        parts[task].run(units * task / tasks, units * (task + 1) / tasks, threads);
    }
}
