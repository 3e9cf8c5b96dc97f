package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.MemorySegment;

/**
 * AppendSteps of the engine's own domain: writes rows of heads behind the valid steps of a cache, with zeros behind them.
 * Where the cache has as much room before, the rows are written in place.
 */
record AppendStepsKernel(Node node) implements ShapedKernel {
    private static final int STEPS = 2;
    private static final int BEFORE = 2;

    @Override
    public Launch bind(BindContext context) {
        Shape past = context.inputShape(0);
        Shape whole = context.outputShape(0);
        long now = context.inputShape(1).dim(STEPS);
        long row = past.dim(3) * context.outputType(0).bits() / Byte.SIZE;
        long heads = whole.dim(0) * whole.dim(1);
        long most = Math.min(past.dim(STEPS), whole.dim(STEPS) - now);
        if (past.equals(whole)) {
            context.mayReuse(0, 0);
        }
        return launch -> {
            long before = launch.input(BEFORE).get(ByteLayouts.LONG, 0);
            if (before < 0 || before > most) {
                throw EngineException.invalidArgument(node.describe() + ": " + now + " steps behind " + before
                        + " of a cache of shape " + past + ", in one of shape " + whole);
            }
            for (long head = 0; head < heads; head++) {
                launch.checkCancelled();
                append(launch, head, before * row, now * row, past.dim(STEPS) * row, whole.dim(STEPS) * row);
            }
        };
    }

    /** Appends the rows of a head; all sizes are in bytes. */
    private static void append(LaunchContext launch, long head, long before, long now, long ofPast, long ofWhole) {
        MemorySegment past = launch.input(0);
        MemorySegment whole = launch.output(0);
        long start = head * ofWhole;
        if (past.address() != whole.address()) {
            MemorySegment.copy(past, head * ofPast, whole, start, before);
            whole.asSlice(start + before + now, ofWhole - before - now).fill((byte) 0);
        }
        MemorySegment.copy(launch.input(1), head * now, whole, start + before, now);
    }
}
