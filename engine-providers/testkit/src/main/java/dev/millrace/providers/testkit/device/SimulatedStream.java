package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.device.MemoryKind;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A stream of a simulated device. Providers of simulated devices give it {@link Operation}s. */
public final class SimulatedStream implements DeviceStream, KernelStream {
    private final Simulation simulation;
    private final DeviceState state;
    private final SimulatedDevice device;
    private final int id;
    private final String name;
    private final Timeline timeline;
    private final CommandQueue queue;
    private boolean isClosed;

    SimulatedStream(Simulation simulation, DeviceState state, SimulatedDevice device, int id, String name) {
        this.simulation = simulation;
        this.state = state;
        this.device = device;
        this.id = id;
        this.name = name;
        timeline = new Timeline(simulation, state.name() + "/" + id);
        queue = new CommandQueue(simulation, state, id, timeline);
        simulation.add(queue);
        state.whenLost(queue::drop);
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public SimulatedDevice device() {
        return device;
    }

    /** Gives the stream the work of a kernel. */
    public void submit(Operation operation) {
        submit(
                operation.name(),
                operands(operation.reads()),
                operands(operation.writes()),
                operation.operations(),
                operation.body());
    }

    @Override
    public void submit(String operation, LaunchArguments arguments, LaunchContext context, Operation.Body body) {
        var reads = new ArrayList<DeviceOperand>();
        arguments.inputs().forEach(index -> reads.add(DeviceOperand.of(context.inputRange(index))));
        arguments.hostInputs().forEach(index -> reads.add(DeviceOperand.ofHost(context.input(index))));
        var writes = new ArrayList<DeviceOperand>();
        arguments.outputs().forEach(index -> writes.add(DeviceOperand.of(context.outputRange(index))));
        if (arguments.hasWorkspace()) {
            writes.add(DeviceOperand.of(context.workspaceRange()));
        }
        submit(operation, reads, writes, 0, body);
    }

    private static List<DeviceOperand> operands(List<DeviceRange> ranges) {
        return ranges.stream().map(DeviceOperand::of).toList();
    }

    void submit(
            String operation,
            List<DeviceOperand> reads,
            List<DeviceOperand> writes,
            long operations,
            Operation.Body body) {
        var all = new ArrayList<>(reads);
        all.addAll(writes);
        for (DeviceOperand operand : all) {
            if (operand.buffer() != null && operand.buffer().device() != device) {
                throw new IllegalArgumentException(
                        operation + " on " + timeline + " uses " + operand.text() + " of another device");
            }
        }
        for (DeviceOperand target : writes) {
            if (target.buffer() != null && target.buffer().kind() == MemoryKind.READ_ONLY) {
                throw new IllegalArgumentException(
                        operation + " on " + timeline + " writes " + target.text() + ", which kernels only read");
            }
        }
        add(operation, reads, writes, operations, body, false);
    }

    void copy(String operation, DeviceOperand from, DeviceOperand to) {
        add(
                operation,
                List.of(from),
                List.of(to),
                0,
                (reads, writes) -> writes.getFirst().copyFrom(reads.getFirst()),
                true);
    }

    private void add(
            String operation,
            List<DeviceOperand> reads,
            List<DeviceOperand> writes,
            long operations,
            Operation.Body body,
            boolean isCopy) {
        checkOpen(operation);
        state.checkNotLost();
        @Nullable Fault fault = state.faults().ofOperation(state.nextOperation(), isCopy, simulation.random());
        if (fault == Fault.REFUSED) {
            throw new DeviceFailure(timeline + " refuses " + operation, false);
        }
        long bytes = bytes(reads) + bytes(writes);
        long nanos = simulation.options().costs().nanos(operation, bytes, operations);
        boolean readsAtStart = !isCopy && simulation.random().nextBoolean();
        queue.add(new QueuedWork(operation, reads, writes, nanos, body, fault, isCopy, readsAtStart));
    }

    private static long bytes(List<DeviceOperand> operands) {
        return operands.stream()
                .mapToLong(operand -> operand.memory().byteSize())
                .sum();
    }

    /** Adds something that happens in the order of the stream and takes no time. */
    void mark(Command.Mark mark) {
        checkOpen("memory");
        queue.add(mark);
    }

    @Override
    public long signal() {
        checkOpen("signal");
        long time = timeline.mark(queue.endsWithWork());
        queue.add(new Command.Signal(time));
        return time;
    }

    @Override
    public void waitFor(DeviceStream other, long time) {
        checkOpen("waitFor");
        if (!(other instanceof SimulatedStream stream) || !canWaitFor(other)) {
            throw new IllegalArgumentException(timeline + " cannot wait for " + other);
        }
        stream.timeline.checkMarked(time);
        if (!stream.timeline.isBehindWork(time) || !simulation.dropsNextWait()) {
            queue.add(new Command.Wait(stream.timeline, time));
        }
    }

    @Override
    public boolean canWaitFor(DeviceStream other) {
        return other instanceof SimulatedStream stream
                && stream.simulation == simulation
                && (stream.device == device || simulation.options().waitsBetweenDevices());
    }

    @Override
    public long completed() {
        checkOpen("completed");
        return timeline.completed();
    }

    @Override
    public void whenCompleted(long time, CompletionListener completion) {
        checkOpen("whenCompleted");
        timeline.whenOver(time, completion);
    }

    @Override
    public boolean await(long time, Duration limit) {
        checkOpen("await");
        timeline.checkMarked(time);
        queue.flush();
        long start = simulation.now();
        if (!simulation.stepUntil(() -> timeline.isOver(time))) {
            return false;
        }
        Timeline.Point point = timeline.point(time);
        if (Duration.ofNanos(point.at() - start).compareTo(limit) > 0) {
            simulation.advanceTo(start + limit.toNanos());
            return false;
        }
        simulation.advanceTo(point.at());
        simulation.host().join(point.clock());
        if (point.failure() != null) {
            throw point.failure();
        }
        return true;
    }

    @Override
    public void flush() {
        checkOpen("flush");
        queue.flush();
    }

    @Override
    public void onRunEnd() {
        checkOpen("onRunEnd");
        queue.endRun();
    }

    private void checkOpen(String use) {
        simulation.checkThread();
        if (isClosed) {
            simulation.error("use after close: " + use + " on " + timeline);
            throw new IllegalStateException(timeline + " is closed");
        }
    }

    boolean isClosed() {
        return isClosed;
    }

    @Override
    public void close() {
        if (!isClosed) {
            queue.flush();
            if (!simulation.stepUntil(queue::isIdle)) {
                throw simulation.deadlock(timeline + " cannot close");
            }
            isClosed = true;
            simulation.remove(queue);
        }
    }

    @Override
    public String toString() {
        return timeline + " (" + name + ")";
    }
}
