package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ForeignFailure;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.CopyKernel;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.scheduler.pool.LoopBody;
import dev.millrace.scheduler.pool.ParallelJob;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One stream of one frame: the launch that runs now, as it sees its memory. Made once and used for every launch. */
final class StreamContext implements LaunchContext, LoopBody {
    private final Frame frame;
    private final ParallelJob job = new ParallelJob();
    private final Scratch scratch = new Scratch();
    private final DynamicMemory dynamic = new DynamicMemory();
    private @Nullable BoundStep current;
    /** The loop that the launch runs. */
    private @Nullable RangeTask loop;

    private @Nullable MemorySegment workspace;
    private @Nullable DeviceRange workspaceOnDevice;

    StreamContext(Frame frame) {
        this.frame = frame;
    }

    /** Runs a step, which is the {@code number}th of its stretch. */
    void run(BoundStep bound, int number, StretchState state) {
        current = bound;
        workspace = state.workspaces[number];
        if (state.onDevices != null) {
            workspaceOnDevice = state.onDevices.workspace(number);
        }
        RunListener listener = frame.listenerOfSteps();
        long start = listener == null ? 0 : System.nanoTime();
        PlanStep step = bound.step();
        try {
            Launch launch = bound.launch();
            if (launch == null) {
                runWithoutLaunch(bound, state.stretch.parts[number]);
            } else {
                launch.run(this);
            }
        } catch (OutOfMemoryError | StackOverflowError e) {
            throw new EngineException(Status.RUNTIME_EXCEPTION, step.describe() + ": " + e, e);
        } catch (EngineException e) {
            boolean placed =
                    String.valueOf(e.getMessage()).startsWith(step.node().describe());
            throw placed || e.status() == Status.CANCELLED ? e : e.at(step.describe());
        } catch (DeviceFailure e) {
            throw new EngineException(Status.EP_FAIL, step.describe() + ": " + e.getMessage(), e);
        } catch (RuntimeException | LinkageError | InternalError e) {
            throw EngineException.wrap(Status.RUNTIME_EXCEPTION, step.describe(), ForeignFailure.neutral(e));
        }
        if (listener != null && !frame.isGivenToDevice(bound)) {
            listener.stepEnded(frame.plan.name(), step, start, System.nanoTime());
        }
    }

    /** Gives copies to the stream of a device, in this order. */
    void copy(List<BoundStep> steps) {
        var copies = new ArrayList<Copy>(steps.size());
        try {
            for (BoundStep step : steps) {
                current = step;
                copies.add(((CopyKernel) step.step().kernel()).copy(this));
            }
            DeviceStream stream = stream();
            stream.device().transfer().copy(copies, stream);
        } catch (EngineException e) {
            throw e.at(bound().step().describe());
        } catch (DeviceFailure e) {
            throw new EngineException(Status.EP_FAIL, bound().step().describe() + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            throw EngineException.wrap(Status.RUNTIME_EXCEPTION, bound().step().describe(), e);
        }
    }

    private void runWithoutLaunch(BoundStep bound, @Nullable StepParts parts) {
        if (parts == null) {
            var lane = new DynamicLane(frame, bound, frame.isNested ? null : dynamic);
            ((DynamicKernel) bound.step().kernel()).runChecked(lane);
        } else {
            parts.run(frame, bound);
        }
    }

    @Nullable
    Tensor handOver(Tensor result) {
        return dynamic.handOver(result);
    }

    /** Gives up arrays that no run has needed since the last call. */
    void trim() {
        scratch.trim();
        dynamic.trim();
    }

    /** Ends a run. */
    void reset() {
        dynamic.reset();
    }

    private BoundStep bound() {
        return Objects.requireNonNull(current);
    }

    @Override
    public MemorySegment input(int index) {
        MemorySegment segment = frame.segments[bound().inputs[index]];
        if (segment == null) {
            throw EngineException.invalidArgument("input " + index + " has no memory");
        }
        return segment;
    }

    @Override
    public MemorySegment output(int index) {
        MemorySegment segment = frame.segments[bound().outputs[index]];
        if (segment == null) {
            throw EngineException.invalidArgument("output " + index + " has no memory");
        }
        return segment;
    }

    @Override
    public DeviceStream stream() {
        return devices().queue(bound().step().stream());
    }

    @Override
    public DeviceRange inputRange(int index) {
        return range(bound().inputs[index], "input ", index);
    }

    @Override
    public DeviceRange outputRange(int index) {
        return range(bound().outputs[index], "output ", index);
    }

    private DeviceValues devices() {
        return Objects.requireNonNull(frame.onDevices, "the plan runs on the host alone");
    }

    private DeviceRange range(int slot, String what, int index) {
        DeviceRange range = devices().range(slot);
        if (range == null) {
            throw EngineException.invalidArgument(what + index + " has no memory on a device");
        }
        return range;
    }

    @Override
    public DeviceRange workspaceRange() {
        return Objects.requireNonNull(workspaceOnDevice, "the kernel asked for no workspace");
    }

    @Override
    public String[] inputStrings(int index) {
        return frame.strings(bound().inputs[index]);
    }

    @Override
    public String[] outputStrings(int index) {
        return frame.strings(bound().outputs[index]);
    }

    @Override
    public MemorySegment workspace() {
        return Objects.requireNonNull(workspace, "the kernel asked for no workspace");
    }

    @Override
    public void parallelFor(long items, long grain, RangeTask task) {
        parallelFor(items, grain, task, Long.MAX_VALUE);
    }

    @Override
    public void parallelFor(long items, long grain, RangeTask task, long nanos) {
        loop = task;
        frame.pool.parallelFor(job, frame.threads, items, grain, this, nanos, scratch);
    }

    @Override
    public void run(long from, long to, Scratch arrays) {
        Objects.requireNonNull(loop).run(this, from, to, arrays);
    }

    @Override
    public Scratch scratch() {
        return scratch;
    }

    @Override
    public Work.@Nullable Listener listener() {
        RunListener listener = frame.listenerOfSteps();
        PlanStep step = bound().step();
        return listener == null
                ? null
                : (work, start, end) -> listener.workEnded(frame.plan.name(), step, work, start, end);
    }

    @Override
    public void checkCancelled() {
        frame.cancellation.check();
    }
}
