package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.pool.HostThreads;
import org.jspecify.annotations.Nullable;

/** A run on devices that nobody waits for: its end is told. It is tried once more where memory was short. */
final class StartedRun {
    private final PlanRunner runner;
    private final InputSource inputs;
    private final Cancellation cancellation;
    private final @Nullable RunListener listener;
    private final RunEnd end;
    private final long begin;
    private boolean isSecond;

    StartedRun(
            PlanRunner runner,
            InputSource inputs,
            Cancellation cancellation,
            @Nullable RunListener listener,
            RunEnd end) {
        this.runner = runner;
        this.inputs = inputs;
        this.cancellation = cancellation;
        this.listener = listener;
        this.end = end;
        this.begin = listener == null ? 0 : System.nanoTime();
    }

    void start() {
        Frame frame;
        try {
            frame = runner.begin(inputs, cancellation, listener);
        } catch (RuntimeException | Error thrown) {
            over(null, runner.named(thrown));
            return;
        }
        var run = new Attempt(frame);
        run.devices.start(runner.runs().streams());
        if (runner.runs().waitsWithin()) {
            run.tasks.wake();
        } else {
            run.tasks.work();
        }
    }

    private final class Attempt {
        final RunTasks tasks;
        final DeviceRun<Datum[]> devices;
        private final Frame frame;

        Attempt(Frame frame) {
            this.frame = frame;
            HostThreads threads = runner.runs().services().threads();
            this.tasks = new RunTasks(runner.runs().waitsWithin() ? threads.forWaits() : threads);
            this.devices =
                    new DeviceRun<>(runner.runs(), frame, tasks, runner.runs().results()::ofRun, this::ended);
        }

        private void ended() {
            Datum[] results = null;
            Throwable failure = null;
            try {
                results = devices.resultOrFailure();
            } catch (RuntimeException | Error thrown) {
                failure = runner.named(thrown);
            }
            runner.runs().giveBack(frame);
            if (failure != null && !isSecond && runner.gaveUpFor(failure)) {
                isSecond = true;
                start();
            } else {
                over(results, failure);
            }
        }
    }

    private void over(Datum @Nullable [] results, @Nullable Throwable failure) {
        if (listener != null) {
            listener.runEnded(runner.plan().name(), begin, System.nanoTime(), failure != null);
        }
        RunEnd.tell(end, results, failure);
    }
}
