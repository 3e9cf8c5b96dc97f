package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.MemoryKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The work of one simulated stream, which it does in order, one command at a time. */
final class CommandQueue implements EventSource {
    /** How much longer than usual an operation takes that is late. */
    private static final long LATE = 100;

    private final Simulation simulation;
    private final DeviceState device;
    private final int id;
    private final int index;
    private final Timeline timeline;
    private final Deque<Command> commands = new ArrayDeque<>();
    /** The operations that are over when the next command starts, those of this stream among them. */
    private final VectorClock clock = new VectorClock();

    private long count;
    /** How many commands have been handed over, from the first on. */
    private int handedOver;
    /** The virtual time at which the previous command ended. */
    private long time;

    /** Whether the last thing that was given is an operation. */
    private boolean endsWithWork;

    private @Nullable Running running;
    private @Nullable DeviceFailure failure;
    /** A failure that is not told yet. */
    private @Nullable DeviceFailure hidden;

    private Timeline.Telling telling = Timeline.Telling.USUAL;

    /** An operation that has started. */
    private record Running(
            QueuedWork work,
            MemoryAccess access,
            long start,
            long end,
            Arena arena,
            @Nullable List<MemorySegment> content) {}

    CommandQueue(Simulation simulation, DeviceState device, int id, Timeline timeline) {
        this.simulation = simulation;
        this.device = device;
        this.id = id;
        this.timeline = timeline;
        index = simulation.newStream();
    }

    void add(Command.Action action) {
        endsWithWork = action instanceof QueuedWork;
        if (device.isLost()) {
            if (action instanceof Command.Mark mark) {
                mark.happen(access(timeline.toString()), VectorClock.ofEnd());
            }
            return;
        }
        commands.add(new Command(simulation.now(), simulation.host().copy(), action));
        if (action instanceof QueuedWork work) {
            simulation.hostMemory().submitted(work, work.reads(), work.writes());
        }
        if (!simulation.options().keepsBack()) {
            flush();
        }
    }

    boolean endsWithWork() {
        return endsWithWork;
    }

    void flush() {
        handedOver = commands.size();
    }

    /** Forgets the failures of work so far. */
    void endRun() {
        if (!isIdle()) {
            simulation.error(timeline + ": its run has ended before its work; " + describe());
        }
        failure = null;
        hidden = null;
    }

    /** Drops all work: the device is lost. */
    void drop(DeviceFailure loss) {
        if (running != null) {
            simulation.hostMemory().forget(running.work);
        }
        running = null;
        var dropped = List.copyOf(commands);
        commands.clear();
        handedOver = 0;
        for (Command command : dropped) {
            if (command.action() instanceof QueuedWork work) {
                simulation.hostMemory().forget(work);
            } else if (command.action() instanceof Command.Mark mark) {
                mark.happen(access(timeline.toString()), VectorClock.ofEnd());
            }
        }
        timeline.lose(loss);
    }

    @Override
    public @Nullable MachineEvent next() {
        if (running != null) {
            boolean isEndless = running.work.fault() == Fault.NEVER;
            return isEndless ? null : new MachineEvent(running.end, false, this::end);
        }
        Command command = commands.peek();
        if (command == null || handedOver == 0 && !(command.action() instanceof Command.Mark)) {
            return null;
        }
        long due = Math.max(time, command.time());
        if (command.action() instanceof Command.Wait wait) {
            if (!wait.timeline().isOver(wait.time())) {
                return null;
            }
            due = Math.max(due, wait.timeline().point(wait.time()).at());
        }
        if (command.action() instanceof QueuedWork && simulation.options().oneAtATime()) {
            due = Math.max(due, device.busyUntil());
        }
        long start = due;
        return new MachineEvent(start, false, () -> take(start));
    }

    private void take(long start) {
        Command command = commands.remove();
        handedOver = Math.max(0, handedOver - 1);
        time = start;
        clock.join(command.seen());
        switch (command.action()) {
            case QueuedWork work -> start(work);
            case Command.Wait wait -> pass(wait.timeline().point(wait.time()));
            case Command.Signal signal -> signal();
            case Command.Mark mark -> mark.happen(access(timeline.toString()), clock);
        }
    }

    private MemoryAccess access(String operation) {
        count++;
        clock.set(index, count);
        return new MemoryAccess(operation, index, count, "");
    }

    private void pass(Timeline.Point point) {
        clock.join(point.clock());
        DeviceFailure theirs = point.failure();
        // devices differ in whether a failure passes from stream to stream: the seed decides
        if (theirs != null
                && failure == null
                && (theirs.isLost() || simulation.random().nextBoolean())) {
            failure = theirs;
        }
    }

    private void signal() {
        boolean hasMore = commands.stream().anyMatch(command -> command.action() instanceof QueuedWork);
        if (failure == null && !hasMore) {
            failure = hidden;
        }
        DeviceFailure told = device.failure() == null ? failure : device.failure();
        var point = new Timeline.Point(time, clock.copy(), told);
        timeline.complete(point, telling);
        telling = Timeline.Telling.USUAL;
    }

    private void start(QueuedWork work) {
        if (work.fault() == Fault.LOST) {
            device.lose("while it was to do " + work.name());
            return;
        }
        Arena arena = Arena.ofAuto();
        MemoryAccess access = access(work.name() + " on " + timeline);
        @Nullable List<MemorySegment> content = null;
        if (work.hasMemory()) {
            content = work.readsAtStart() ? work.content(arena) : null;
            work.start();
        }
        long nanos = work.fault() == Fault.LATE ? LATE * work.nanos() : work.nanos();
        running = new Running(work, access, time, time + nanos, arena, content);
        device.busyUntil(time + nanos);
    }

    private void end() {
        Running ended = Objects.requireNonNull(running);
        running = null;
        time = ended.end;
        QueuedWork work = ended.work;
        simulation.schedule().add(new ScheduledOperation(device.name(), id, work.name(), ended.start, ended.end));
        if (work.hasMemory()) {
            List<MemorySegment> content = ended.content == null ? work.content(ended.arena) : ended.content;
            simulation.hostMemory().ends(work, work.name());
            check(work, ended.access);
            finish(work, content, ended.arena);
        } else {
            simulation.hostMemory().forget(work);
            simulation.error(
                    "freed memory: " + work.name() + " uses memory of the host that was freed before it ended");
            fail(work, new DeviceFailure(work.name() + " has lost its memory", false));
        }
        if (work.fault() == Fault.LATE) {
            telling = Timeline.Telling.LATE;
        } else if (work.fault() == Fault.TWICE) {
            telling = Timeline.Telling.TWICE;
        }
    }

    private void finish(QueuedWork work, List<MemorySegment> content, Arena arena) {
        DeviceFailure planned = failure(work);
        if (planned != null) {
            work.fail(content);
            fail(work, planned);
            return;
        }
        try {
            work.compute(content, arena);
        } catch (RuntimeException thrown) {
            var failed = new DeviceFailure(work.name() + " failed: " + thrown, false);
            failed.initCause(thrown);
            fail(work, failed);
        }
    }

    private @Nullable DeviceFailure failure(QueuedWork work) {
        if (device.failure() != null) {
            return device.failure();
        }
        return switch (work.fault()) {
            case ERROR, LATE_ERROR, STICKY_ERROR, HALF_COPY ->
                new DeviceFailure(work.name() + " failed on " + timeline + ": " + work.fault(), false);
            case null, default -> null;
        };
    }

    private void fail(QueuedWork work, DeviceFailure failed) {
        if (work.fault() == Fault.LATE_ERROR) {
            hidden = failed;
        } else if (failure == null) {
            failure = failed;
        }
        if (work.fault() == Fault.STICKY_ERROR) {
            device.stick(failed);
        }
    }

    private void check(QueuedWork work, MemoryAccess access) {
        for (DeviceOperand operand : work.reads()) {
            if (isThere(operand, access, "reads")) {
                simulation.checker().read(operand, did(access, "reads", operand), clock);
            }
        }
        for (DeviceOperand operand : work.writes()) {
            if (isThere(operand, access, "writes")) {
                checkWrittenOnce(operand, access);
                simulation.checker().write(operand, did(access, "writes", operand), clock);
            }
        }
    }

    private boolean isThere(DeviceOperand operand, MemoryAccess access, String verb) {
        SimulatedBuffer buffer = operand.buffer();
        if (buffer != null && !buffer.isAllocated()) {
            simulation.error("race: nothing orders the allocation of " + buffer + " and " + did(access, verb, operand));
            return false;
        }
        if (buffer != null && buffer.isReleased()) {
            simulation.error("freed memory: " + did(access, verb, operand));
            return false;
        }
        return true;
    }

    private void checkWrittenOnce(DeviceOperand operand, MemoryAccess access) {
        if (operand.buffer() != null
                && operand.buffer().kind() == MemoryKind.READ_ONLY
                && simulation.checker().hasContent(operand)) {
            simulation.error("written twice: " + did(access, "writes", operand));
        }
    }

    static MemoryAccess did(MemoryAccess access, String verb, DeviceOperand operand) {
        return new MemoryAccess(access.operation(), access.stream(), access.number(), verb + " " + operand.text());
    }

    @Override
    public boolean isIdle() {
        return running == null && commands.stream().allMatch(command -> command.action() instanceof Command.Mark);
    }

    @Override
    public long time() {
        return time;
    }

    @Override
    public String describe() {
        return timeline.describe() + "; " + state();
    }

    private String state() {
        if (running != null) {
            return "it does " + running.work.name() + (running.work.fault() == Fault.NEVER ? ", which never ends" : "");
        }
        Command command = commands.peek();
        if (command == null) {
            return "it has no work";
        }
        if (handedOver == 0) {
            return "it keeps " + commands.size() + " commands back, since it was not flushed";
        }
        return command.action() instanceof Command.Wait wait
                ? "it waits for " + wait.timeline() + " at " + wait.time()
                : "it is ready";
    }
}
