package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.bind.ContentOnDevice;
import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.DeviceStream;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A run of a plan whose steps devices do. It goes from stretch to stretch and holds no thread while a device works.
 *
 * @param <T> what the run returns
 */
final class DeviceRun<T> {
    private final PlanRuns runs;
    private final Frame frame;
    private final DeviceValues devices;
    private final RunTasks tasks;
    private final Function<Frame, T> results;
    private final Runnable onEnd;
    private int at;
    private List<DeviceStream> streams = List.of();
    private @Nullable T result;
    private @Nullable Throwable failure;
    /** Whether it has streams or waits for them. */
    private volatile boolean isInLine;

    private volatile boolean hasBegun;
    private volatile boolean isOver;
    /** Ends the wait for a cancellation while the run waits in line. */
    private volatile Runnable endWait = () -> {};

    /**
     * @param results takes the results out of the frame when all steps are done
     * @param onEnd called once when the run is over and has given back what it took
     */
    DeviceRun(PlanRuns runs, Frame frame, RunTasks tasks, Function<Frame, T> results, Runnable onEnd) {
        this.runs = runs;
        this.frame = frame;
        this.devices = Objects.requireNonNull(frame.onDevices);
        this.tasks = tasks;
        this.results = results;
        this.onEnd = onEnd;
    }

    /** Starts the run once there are streams for it. A run that is cancelled before leaves the line. */
    void start(DeviceStreams pool) {
        Thread starter = Thread.currentThread();
        var taker = new DeviceStreams.Taker() {
            @Override
            public void taken(List<DeviceStream> ofRun) {
                Runnable begin = () -> {
                    hasBegun = true;
                    endWait.run();
                    begin(ofRun);
                };
                // the thread that starts the run is about to do its tasks
                if (Thread.currentThread() == starter && !isInLine) {
                    tasks.addForThisThread(begin);
                } else {
                    tasks.add(begin);
                }
            }

            @Override
            public void failed(Throwable reason) {
                tasks.add(() -> stretchEnded(reason));
            }
        };
        pool.take(runs.devices(), taker);
        isInLine = true;
        Cancellation cancellation = frame.cancellation;
        endWait = cancellation.whenCancelled(() -> {
            if (pool.leave(taker)) {
                taker.failed(cancellation.failure());
            }
        });
        if (hasBegun) {
            endWait.run();
        }
    }

    /** Starts a run within a run, which has a thread that waits for it. */
    void startWithin(DeviceStreams pool) {
        begin(pool.takeBeyondLimit(runs.devices()));
    }

    private void begin(List<DeviceStream> taken) {
        streams = taken;
        devices.use(taken);
        goOn();
    }

    private void goOn() {
        try {
            while (at < runs.plan().steps().size()) {
                Stretch stretch = runs.stretch(at, frame);
                StretchState state = frame.enter(stretch);
                at = stretch.binding.to;
                if (!stretch.binding.programs.isEmpty()) {
                    state.streams().start(frame, tasks, this::stretchEnded);
                    return;
                }
            }
            result = results.apply(frame);
        } catch (ContentOnDevice needed) {
            download(needed.slot());
            return;
        } catch (Throwable thrown) {
            failure = thrown;
        }
        end();
    }

    private void stretchEnded(@Nullable Throwable thrown) {
        if (thrown == null) {
            goOn();
        } else {
            failure = thrown;
            end();
        }
    }

    /** Copies a value to the host, whose content decides how the run goes on. */
    private void download(int slot) {
        try {
            DeviceRange range = Objects.requireNonNull(devices.range(slot));
            DeviceStream stream = devices.queue(range.buffer().device());
            Tensor content = Tensor.allocate(
                    Objects.requireNonNull(frame.type(slot)), Objects.requireNonNull(frame.shape(slot)));
            stream.device().transfer().copy(List.of(new Copy.Download(range, content.segment())), stream);
            long time = stream.signal();
            stream.flush();
            stream.whenCompleted(
                    time,
                    CompletionListener.once(failed -> tasks.add(() -> {
                        if (failed == null) {
                            frame.putContent(slot, content);
                        }
                        stretchEnded(failed);
                    })));
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
            end();
        }
    }

    private void end() {
        runs.streams().give(streams);
        isOver = true;
        onEnd.run();
        tasks.wake();
    }

    boolean isOver() {
        return isOver;
    }

    /** Returns the result of a run that is over, or throws what it failed with. */
    T resultOrFailure() {
        Throwable thrown = failure;
        if (thrown instanceof RuntimeException unchecked) {
            throw unchecked;
        }
        if (thrown instanceof Error error) {
            throw error;
        }
        return Objects.requireNonNull(result);
    }
}
