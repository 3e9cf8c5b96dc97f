package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.plan.NestedPlan;
import dev.millrace.scheduler.plan.Plan;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The results of the runs of a plan. It keeps memory for results that are copied. */
final class RunResults {
    private final Plan plan;
    /** The memory of copies of results, for each output. */
    private final ResultCopies[] copies;

    RunResults(Plan plan) {
        this.plan = plan;
        copies = new ResultCopies[plan.outputs().size()];
        Arrays.setAll(copies, i -> new ResultCopies(plan.outputNames().get(i)));
    }

    void trim() {
        for (ResultCopies copiesOfResult : copies) {
            copiesOfResult.trim();
        }
    }

    /** Drops what is kept, and says how many pieces that were. */
    int clear() {
        int count = 0;
        for (ResultCopies copiesOfResult : copies) {
            count += copiesOfResult.clear();
        }
        return count;
    }

    /** Takes the results of a run out of its frame: they are the caller's. */
    Datum[] ofRun(Frame frame) {
        Datum[] results = new Datum[plan.outputs().size()];
        for (int i = 0; i < results.length; i++) {
            Tensor detached = frame.detachOutput(i);
            results[i] = detached != null ? detached : ownedResult(frame, i);
        }
        return results;
    }

    /** Returns a result that is not in output memory: the memory of a dynamic step is passed on, all else is copied. */
    private Datum ownedResult(Frame frame, int index) {
        Datum result = result(frame, index);
        if (result instanceof Tensor tensor && tensor.type() != ElementType.STRING) {
            Tensor handedOver = frame.handOver(tensor);
            return handedOver != null
                    ? handedOver
                    : copies[index].copyOf(tensor.type(), tensor.shape(), tensor.segment());
        }
        try {
            return Data.deepCopy(result, frame::handOver, frame.cancellation);
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for output '" + plan.outputNames().get(index)
                            + "'; raise -XX:MaxDirectMemorySize, or run smaller inputs or fewer runs at a time",
                    e);
        }
    }

    /** Takes the results of a run within a run out of its frame. */
    List<Datum> ofNested(Frame frame, List<NestedPlan.Capture> captures) {
        @Nullable Tensor[] detached = new Tensor[copies.length];
        for (int i = 0; i < detached.length; i++) {
            detached[i] = frame.detachOutput(i);
        }
        var results = new ArrayList<Datum>(detached.length);
        for (int i = 0; i < detached.length; i++) {
            Tensor result = detached[i];
            results.add(result != null ? result : passedOn(frame, captures, i, detached));
        }
        return results;
    }

    /**
     * Returns a result that is not in output memory: a view where it is the same as a result that is. A value in a
     * block, of this frame or of an enclosing one, is copied. A value of a dynamic step and a constant are passed on as
     * views, and stay open when the result is closed.
     */
    private Datum passedOn(Frame frame, List<NestedPlan.Capture> captures, int index, @Nullable Tensor[] detached) {
        int slot = plan.outputs().get(index);
        Datum value = result(frame, index);
        if (value instanceof Tensor tensor) {
            MemorySegment content = frame.data[slot] == null ? frame.segments[slot] : null;
            return content == null ? tensor.reshaped(tensor.shape()) : inBlock(frame, index, tensor, content, detached);
        }
        boolean outside =
                plan.inputs().contains(slot) || captures.stream().anyMatch(capture -> capture.innerSlot() == slot);
        return outside ? Data.copyOf(value, frame.cancellation) : value;
    }

    private Tensor inBlock(Frame frame, int index, Tensor tensor, MemorySegment content, @Nullable Tensor[] detached) {
        for (int i = 0; i < detached.length; i++) {
            Tensor result = detached[i];
            if (result != null && content.equals(frame.segments[plan.outputs().get(i)])) {
                return result.reshaped(tensor.shape());
            }
        }
        return copies[index].copyOf(tensor.type(), tensor.shape(), content);
    }

    private Datum result(Frame frame, int index) {
        Datum value = frame.datum(plan.outputs().get(index));
        if (value == null) {
            throw EngineException.invalidGraph(
                    "output '" + plan.outputNames().get(index) + "' was not computed by any node");
        }
        return value;
    }
}
