package dev.millrace.scheduler.run;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.pool.HostThreads;
import dev.millrace.scheduler.pool.WorkerPool;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs a plan, from any number of threads at a time. It keeps the bindings of recent shapes and the frames of runs that
 * have ended.
 */
public final class PlanRunner implements AutoCloseable {
    private final Plan plan;
    private final WorkerPool pool;
    private final IdleMemory idleMemory;
    private final PlanRuns runs;

    /**
     * @param threads the number of threads that one run may use, the caller's included
     * @param maxBindings the number of bindings that are kept for each stretch
     */
    public PlanRunner(Plan plan, WorkerPool pool, int threads, int maxBindings) {
        this(plan, pool, threads, maxBindings, new IdleMemory());
    }

    /** @param idleMemory idle memory that is released where a run of this plan finds none */
    public PlanRunner(Plan plan, WorkerPool pool, int threads, int maxBindings, IdleMemory idleMemory) {
        this(plan, pool, threads, maxBindings, idleMemory, DeviceServices.of(HostThreads.of(pool)));
    }

    /**
     * @param idleMemory idle memory that is released where a run of this plan finds none
     * @param services what runs on devices share
     */
    public PlanRunner(
            Plan plan, WorkerPool pool, int threads, int maxBindings, IdleMemory idleMemory, DeviceServices services) {
        this.plan = plan;
        this.pool = pool;
        this.idleMemory = idleMemory;
        this.runs = new PlanRuns(plan, pool, threads, maxBindings, idleMemory, services);
    }

    public Plan plan() {
        return plan;
    }

    PlanRuns runs() {
        return runs;
    }

    /** Releases the memory that no run has needed since the last call. */
    public void trim() {
        runs.trim();
        runs.services().memory().trim();
    }

    /**
     * Releases all that is kept for later runs, and returns the number of released objects. Runs under way are not
     * affected.
     */
    public int giveUp() {
        return runs.giveUp();
    }

    /** Frees what lies on devices. Runs under way free what they have when they end. */
    @Override
    public void close() {
        runs.close();
    }

    /** Returns summaries of the bindings that are kept right now. */
    public List<StretchSummary> stretches() {
        return runs.stretches().stream()
                .map(stretch -> StretchSummary.of(stretch.binding))
                .toList();
    }

    /** Runs once. The inputs are read during the run only; the results are in the plan's order and are the caller's. */
    public Datum[] run(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        long start = listener == null ? 0 : System.nanoTime();
        boolean failed = true;
        try {
            Datum[] results = runWithRetry(inputs, cancellation, listener);
            failed = false;
            return results;
        } finally {
            if (listener != null) {
                listener.runEnded(plan.name(), start, System.nanoTime(), failed);
            }
        }
    }

    /**
     * Starts a run. Where devices do its steps, it holds no thread while they work, and may be over when this returns or
     * later; otherwise it runs here. What it throws before it has begun is told to {@code end} like any failure.
     */
    public void start(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener, RunEnd end) {
        if (!plan.isPlain()) {
            new StartedRun(this, inputs, cancellation, listener, end).start();
        } else if (runs.waitsWithin()) {
            runs.services().threads().forWaits().execute(() -> tell(inputs, cancellation, listener, end));
        } else {
            tell(inputs, cancellation, listener, end);
        }
    }

    private void tell(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener, RunEnd end) {
        Datum[] results = null;
        Throwable failure = null;
        try {
            results = run(inputs, cancellation, listener);
        } catch (RuntimeException | Error thrown) {
            failure = thrown;
        }
        RunEnd.tell(end, results, failure);
    }

    /** Whether devices do parts of its runs, while no thread is held. */
    public boolean goesOnWithoutThread() {
        return !plan.isPlain() || runs.waitsWithin();
    }

    /** Takes a frame for a run, with its inputs. */
    Frame begin(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        Frame frame = runs.takeFrame();
        try {
            frame.cancellation = cancellation;
            frame.listener = listener;
            put(inputs, frame);
            frame.source = inputs;
            return frame;
        } catch (RuntimeException | Error thrown) {
            runs.giveBack(frame);
            throw thrown;
        }
    }

    /** Whether idle memory was released, so that a run that found none may be tried again. */
    boolean gaveUpFor(Throwable failure) {
        return failure instanceof EngineException
                && failure.getCause() instanceof OutOfMemoryError
                && idleMemory.giveUp();
    }

    /** The failure of a run in the form that its caller gets. */
    EngineException named(Throwable thrown) {
        if (thrown instanceof DeviceFailure failed) {
            return new EngineException(Status.EP_FAIL, "run of '" + plan.name() + "': " + failed.getMessage(), failed);
        }
        return thrown instanceof EngineException known
                ? known
                : EngineException.wrap(Status.RUNTIME_EXCEPTION, "run of '" + plan.name() + "'", thrown);
    }

    /** Runs, and once more if memory was short and idle memory could be released. */
    private Datum[] runWithRetry(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        try {
            return runOnce(inputs, cancellation, listener);
        } catch (EngineException e) {
            if (!gaveUpFor(e)) {
                throw e;
            }
        }
        return runOnce(inputs, cancellation, listener);
    }

    private Datum[] runOnce(InputSource inputs, Cancellation cancellation, @Nullable RunListener listener) {
        boolean interrupted = Thread.currentThread().isInterrupted();
        pool.runBegins();
        try {
            Frame frame = begin(inputs, cancellation, listener);
            try {
                return runs.run(frame, false, runs.results()::ofRun);
            } finally {
                runs.giveBack(frame);
            }
        } catch (RuntimeException | Error e) {
            if (!interrupted && ClosedMemory.isBehind(e)) {
                Thread.interrupted();
            }
            throw named(e);
        } finally {
            pool.runEnds();
        }
    }

    void put(InputSource inputs, Frame frame) {
        for (int slot : runs.inputSlots()) {
            String name = plan.slots().get(slot).name();
            Datum datum = inputs.input(name);
            Datum value = datum == null ? plan.defaults().get(slot) : datum;
            if (value == null) {
                throw EngineException.invalidArgument("Missing Input: " + name);
            }
            frame.putInput(slot, value);
        }
    }
}
