package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.BoundStep;
import dev.millrace.scheduler.bind.StreamPrograms;
import dev.millrace.scheduler.bind.StreamPrograms.Instruction;
import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.CopyKernel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The run of the streams of one stretch. Each stream has a program. A program that comes to a closed barrier returns, and
 * whoever opens the barrier lets it go on; one that waits for a device on the host goes on when the device says that the
 * time has come. No thread is held meanwhile. What is submitted to devices is submitted by the thread that opens the way
 * for it, since that takes microseconds; programs of host streams go to threads of their own.
 *
 * <p>The stretch is over when no program goes on and the devices have done all that they were given, after a failure too.
 */
final class StreamRuns {
    /** The state of a barrier that neither of its two sides has reached. */
    private static final int CLOSED = 2;

    private final StretchState state;
    private final List<Device> devices;
    private final Instruction[][] code;
    private final AtomicIntegerArray barriers;
    /** The times at which devices activated the notifications. */
    private final long[] times;
    /** The streams that activated them. */
    private final @Nullable DeviceStream[] activators;

    private final AtomicInteger active = new AtomicInteger();
    private final AtomicInteger unsettled = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    StreamRuns(StreamPrograms programs, StretchState state) {
        this.state = state;
        devices = programs.devices();
        code = programs.programs().stream()
                .map(program -> program.toArray(new Instruction[0]))
                .toArray(Instruction[][]::new);
        barriers = new AtomicIntegerArray(programs.barriers());
        times = new long[programs.notifications()];
        activators = new DeviceStream[programs.notifications()];
    }

    /** Hears of the end of a stretch. */
    @FunctionalInterface
    interface End {
        /** @param failure the first failure; null where there was none */
        void ended(@Nullable Throwable failure);
    }

    /** A program that can go on. */
    private record Resumption(int stream, int at) {}

    /** The run of the streams in one frame. */
    private final class Going {
        private final Frame frame;
        private final RunTasks tasks;
        private final End end;
        /** Tells what devices do; null where nobody listens. */
        private final @Nullable StreamReports reports;

        Going(Frame frame, RunTasks tasks, End end) {
            this.frame = frame;
            this.tasks = tasks;
            this.end = end;
            RunListener listener = frame.listenerOfSteps();
            this.reports =
                    listener == null ? null : new StreamReports(frame.plan.name(), listener, code.length, times.length);
        }

        void start() {
            var ofDevices = new ArrayDeque<Resumption>();
            active.set(1);
            for (int i = 0; i < code.length; i++) {
                active.incrementAndGet();
                if (isOnDevice(i)) {
                    ofDevices.add(new Resumption(i, 0));
                } else {
                    var resumption = new Resumption(i, 0);
                    tasks.addForThisThread(() -> task(resumption));
                }
            }
            submit(ofDevices);
            ended();
        }

        private boolean isOnDevice(int stream) {
            return devices.get(stream).isAsynchronous();
        }

        private void task(Resumption resumption) {
            var ofDevices = new ArrayDeque<Resumption>();
            go(resumption, ofDevices);
            submit(ofDevices);
        }

        /** Lets programs of devices go on, and those that they let go on. */
        private void submit(Deque<Resumption> ofDevices) {
            for (Resumption next = ofDevices.poll(); next != null; next = ofDevices.poll()) {
                go(next, ofDevices);
            }
        }

        /** Lets one program go on until it ends or has to wait. */
        private void go(Resumption resumption, Deque<Resumption> ofDevices) {
            try {
                advance(resumption, ofDevices);
            } catch (Throwable thrown) {
                failure.compareAndSet(null, thrown);
            } finally {
                ended();
            }
        }

        private void ended() {
            if (active.decrementAndGet() == 0) {
                settle();
            }
        }

        private void advance(Resumption resumption, Deque<Resumption> ofDevices) {
            int stream = resumption.stream();
            Instruction[] program = code[stream];
            StreamContext lane = frame.lanes[stream];
            for (int i = resumption.at(); i < program.length; i++) {
                Instruction instruction = program[i];
                if (instruction instanceof Instruction.Launch launch) {
                    if (failure.get() != null) {
                        return;
                    }
                    if (!isOnDevice(stream)) {
                        submit(ofDevices);
                    }
                    frame.cancellation.check();
                    if (isCopy(launch)) {
                        i = copy(program, i, stream) - 1;
                        continue;
                    }
                    long start = reports == null ? 0 : System.nanoTime();
                    lane.run(launch.step(), launch.number(), state);
                    if (reports != null && isOnDevice(stream)) {
                        reports.submitted(launch.step().step(), queue(stream), start);
                    }
                } else if (instruction instanceof Instruction.Barrier barrier) {
                    if (barriers.decrementAndGet(barrier.barrier()) > 0) {
                        return;
                    }
                } else if (instruction instanceof Instruction.Trigger trigger) {
                    if (barriers.decrementAndGet(trigger.barrier()) == 0) {
                        open(trigger, ofDevices, !stopsAt(program, i + 1));
                    }
                } else if (instruction instanceof Instruction.Activate activate) {
                    DeviceStream queue = queue(stream);
                    activators[activate.notification()] = queue;
                    times[activate.notification()] = queue.signal();
                    // somebody waits for it, perhaps on a queue that the driver does not know to belong to this one
                    queue.flush();
                    if (reports != null) {
                        reports.activated(activate.notification(), queue, times[activate.notification()]);
                    }
                } else if (instruction instanceof Instruction.Wait wait) {
                    if (await(wait, new Resumption(stream, i + 1))) {
                        return;
                    }
                }
            }
        }

        private static boolean isCopy(Instruction instruction) {
            return instruction instanceof Instruction.Launch launch
                    && launch.step().step().kernel() instanceof CopyKernel;
        }

        /**
         * Gives copies that follow each other to their device at once. A copy of an input or an output that stays on its
         * device is done in another way, or left out. Returns the place behind them in the program.
         */
        private int copy(Instruction[] program, int from, int stream) {
            DeviceExchange exchange = Objects.requireNonNull(frame.exchange);
            var together = new ArrayList<BoundStep>();
            int at = from;
            for (; at < program.length && isCopy(program[at]); at++) {
                BoundStep step = ((Instruction.Launch) program[at]).step();
                if (exchange.isReplaced(step)) {
                    // it may read what those before it write
                    submit(together, stream);
                    exchange.replace(step, queue(stream));
                } else {
                    together.add(step);
                }
            }
            submit(together, stream);
            return at;
        }

        private void submit(List<BoundStep> copies, int stream) {
            if (!copies.isEmpty()) {
                long start = reports == null ? 0 : System.nanoTime();
                frame.lanes[stream].copy(copies);
                if (reports != null) {
                    reports.submitted(copies.getLast().step(), queue(stream), start);
                }
                copies.clear();
            }
        }

        /** Whether a program has ended, or comes to a barrier that is closed. */
        private boolean stopsAt(Instruction[] program, int at) {
            return at == program.length
                    || program[at] instanceof Instruction.Barrier next && barriers.get(next.barrier()) == CLOSED;
        }

        /** @param goesOn whether the thread that opens the way for another program has more to do in its own */
        private void open(Instruction.Trigger trigger, Deque<Resumption> ofDevices, boolean goesOn) {
            active.incrementAndGet();
            var resumption = new Resumption(trigger.stream(), trigger.resumeAt());
            if (isOnDevice(trigger.stream())) {
                ofDevices.add(resumption);
            } else if (goesOn) {
                tasks.add(() -> task(resumption));
            } else {
                tasks.addForThisThread(() -> task(resumption));
            }
        }

        /** Waits for a notification; true where the program goes on later. */
        private boolean await(Instruction.Wait wait, Resumption next) {
            DeviceStream producer = activators[wait.notification()];
            if (producer == null) {
                throw new IllegalStateException("a wait for what was not submitted");
            }
            long time = times[wait.notification()];
            if (!wait.onHost() && queue(next.stream()).canWaitFor(producer)) {
                queue(next.stream()).waitFor(producer, time);
                if (reports != null) {
                    reports.waits(wait.notification(), producer, queue(next.stream()));
                }
                return false;
            }
            if (producer.completed() >= time) {
                passed(wait, producer, next);
                return false;
            }
            active.incrementAndGet();
            producer.whenCompleted(time, CompletionListener.once(failed -> {
                if (failed != null) {
                    failure.compareAndSet(null, failed);
                }
                passed(wait, producer, next);
                tasks.add(() -> task(next));
            }));
            return true;
        }

        /** The host has a notification behind it, whether it had to wait for it or not. */
        private void passed(Instruction.Wait wait, DeviceStream producer, Resumption next) {
            if (reports != null) {
                reports.passed(wait.notification(), producer, isOnDevice(next.stream()) ? queue(next.stream()) : null);
            }
        }

        private DeviceStream queue(int stream) {
            return Objects.requireNonNull(frame.onDevices).queue(stream);
        }

        /** Waits until the devices have done all that they were given. */
        private void settle() {
            var queues = new ArrayList<DeviceStream>();
            for (int i = 0; i < code.length; i++) {
                if (isOnDevice(i)) {
                    queues.add(queue(i));
                }
            }
            unsettled.set(queues.size() + 1);
            for (DeviceStream queue : queues) {
                try {
                    long time = queue.signal();
                    queue.flush();
                    queue.whenCompleted(time, CompletionListener.once(this::settled));
                } catch (RuntimeException | Error thrown) {
                    failure.compareAndSet(null, thrown);
                    settled(null);
                }
            }
            settled(null);
        }

        private void settled(@Nullable DeviceFailure failed) {
            if (failed != null) {
                failure.compareAndSet(null, failed);
            }
            if (unsettled.decrementAndGet() == 0) {
                tasks.add(() -> end.ended(failure.get()));
            }
        }
    }

    /** Starts the stretch, whose end is told on a thread that does tasks of the run. */
    void start(Frame frame, RunTasks tasks, End end) {
        for (int i = 0; i < barriers.length(); i++) {
            barriers.set(i, CLOSED);
        }
        failure.set(null);
        new Going(frame, tasks, end).start();
    }
}
