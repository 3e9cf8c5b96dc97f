package dev.millrace.scheduler.bind;

import dev.millrace.scheduler.bind.StreamClocks.StepTime;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import java.util.ArrayList;
import java.util.List;

/** A buffer in a plan of several streams, whose clocks say whether two buffers are needed at the same time. */
final class StreamBuffer extends Buffer {
    private final StepTime first;
    /** The steps that read or write it, the last one of each stream. */
    private final List<StepTime> accesses = new ArrayList<>();

    private boolean isKept;

    /** @param step the number of the step that writes it first, and its time */
    StreamBuffer(long bytes, int step, StepTime first) {
        super(bytes, step, step);
        this.first = first;
        access(first);
    }

    /** Keeps the buffer until the run ends. */
    void keep() {
        isKept = true;
    }

    void access(StepTime step) {
        accesses.removeIf(earlier -> earlier.stream == step.stream && earlier.time < step.time);
        accesses.add(step);
    }

    /** Whether all that used it so far is over when a step starts, but for that step itself. */
    boolean isFreeFor(StepTime step) {
        for (StepTime access : accesses) {
            if (access != step && !access.isBefore(step)) {
                return false;
            }
        }
        return true;
    }

    private boolean isOverBefore(StreamBuffer other) {
        return !isKept && isFreeFor(other.first) && !accesses.contains(other.first);
    }

    @Override
    protected boolean meets(Buffer other) {
        return !(other instanceof StreamBuffer buffer) || !isOverBefore(buffer) && !buffer.isOverBefore(this);
    }
}
