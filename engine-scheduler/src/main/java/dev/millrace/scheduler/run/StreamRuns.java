package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.StreamPrograms;
import dev.millrace.scheduler.bind.StreamPrograms.Instruction;
import dev.millrace.scheduler.device.SyncNotification;
import dev.millrace.scheduler.device.SyncStream;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Runs the streams of one stretch. The first starts on the caller's thread and the others on workers; a stream that
 * comes to a closed barrier returns, and whoever opens the barrier lets it go on. A single stream is a plain loop.
 */
final class StreamRuns {
    private final StreamPrograms programs;
    private final StretchState state;
    private final Instruction[][] code;
    private final AtomicIntegerArray barriers;
    private final @Nullable SyncStream[] queues;
    private final SyncNotification[] notifications;
    private final AtomicInteger active = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile @Nullable Thread waiter;

    StreamRuns(StreamPrograms programs, StretchState state) {
        this.programs = programs;
        this.state = state;
        code = programs.programs().stream()
                .map(program -> program.toArray(new Instruction[0]))
                .toArray(Instruction[][]::new);
        barriers = new AtomicIntegerArray(programs.barriers());
        queues = new SyncStream[code.length];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = programs.devices().get(i).createStream();
        }
        List<Integer> owners = programs.notifications();
        notifications = new SyncNotification[owners.size()];
        for (int i = 0; i < notifications.length; i++) {
            notifications[i] = queue(owners.get(i)).createNotification();
        }
    }

    /** Runs the stretch to its end. Throws the first failure once no stream is running any more. */
    void run(Frame frame) {
        if (code.length == 1) {
            advance(frame, 0, 0);
        } else {
            runAll(frame);
        }
        settle();
    }

    private void runAll(Frame frame) {
        for (int i = 0; i < barriers.length(); i++) {
            barriers.set(i, 2);
        }
        failure.set(null);
        waiter = Thread.currentThread();
        active.set(1);
        for (int i = 1; i < code.length; i++) {
            start(frame, i, 0);
        }
        task(frame, 0, 0);
        boolean interrupted = false;
        while (active.get() > 0) {
            LockSupport.park(this);
            // parking returns at once while the flag is set
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        waiter = null;
        Throwable thrown = failure.get();
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
    }

    private void start(Frame frame, int stream, int at) {
        active.incrementAndGet();
        frame.pool.execute(() -> task(frame, stream, at));
    }

    private void task(Frame frame, int stream, int at) {
        try {
            advance(frame, stream, at);
        } catch (Throwable thrown) {
            failure.compareAndSet(null, thrown);
        } finally {
            if (active.decrementAndGet() == 0) {
                LockSupport.unpark(waiter);
            }
        }
    }

    private void advance(Frame frame, int stream, int at) {
        Instruction[] program = code[stream];
        StreamContext lane = frame.lanes[stream];
        for (int i = at; i < program.length; i++) {
            Instruction instruction = program[i];
            if (instruction instanceof Instruction.Launch launch) {
                if (failure.getPlain() != null) {
                    return;
                }
                frame.cancellation.check();
                lane.run(launch.step(), launch.number(), state);
            } else if (instruction instanceof Instruction.Barrier barrier) {
                if (barriers.decrementAndGet(barrier.barrier()) > 0) {
                    return;
                }
            } else if (instruction instanceof Instruction.Trigger trigger) {
                if (barriers.decrementAndGet(trigger.barrier()) == 0) {
                    start(frame, trigger.stream(), trigger.resumeAt());
                }
            } else if (instruction instanceof Instruction.Activate activate) {
                notifications[activate.notification()].activate();
            } else if (instruction instanceof Instruction.Wait wait) {
                await(notifications[wait.notification()], queues[stream]);
            }
        }
    }

    private static void await(SyncNotification notification, @Nullable SyncStream queue) {
        if (queue == null) {
            notification.waitOnHost();
        } else {
            notification.waitOnDevice(queue);
        }
    }

    /** Lets devices finish what they have queued: what follows a stretch reads its results on the host. */
    private void settle() {
        for (@Nullable SyncStream queue : queues) {
            if (queue != null) {
                queue.flush();
                try (SyncNotification end = queue.createNotification()) {
                    end.activate();
                    end.waitOnHost();
                }
                queue.onRunEnd();
            }
        }
    }

    private SyncStream queue(int stream) {
        SyncStream queue = queues[stream];
        if (queue == null) {
            throw new IllegalStateException(programs.devices().get(stream) + " is asynchronous but has no stream");
        }
        return queue;
    }
}
