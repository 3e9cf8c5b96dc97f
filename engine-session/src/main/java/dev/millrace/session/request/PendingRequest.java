package dev.millrace.session.request;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Outputs;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Deadline;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The one place where a request that was accepted ends: once, with an answer or a failure, whoever brings it. An answer that
 * comes later is closed, a failure that comes later is dropped. What the receiver throws ends nothing but its own call.
 */
public final class PendingRequest implements Receiver<Outputs> {
    private final Receiver<Outputs> to;
    private final Release release;
    private final AtomicBoolean ended = new AtomicBoolean();
    private volatile @Nullable Disposable timer;

    /** Gives back what a request holds: its place in a gate, its turn, its record. */
    @FunctionalInterface
    public interface Release {
        void release(@Nullable EngineException failure);
    }

    public PendingRequest(Receiver<Outputs> to) {
        this(to, _ -> {});
    }

    /** @param release is called at the end, before the receiver hears of it */
    public PendingRequest(Receiver<Outputs> to, Release release) {
        this.to = to;
        this.release = release;
    }

    /** Calls {@code expire} at the deadline, unless the request has ended by then. */
    public void expiresAt(Instant deadline, Runnable expire) {
        Disposable set = Deadline.at(deadline, expire);
        timer = set;
        if (ended.get()) {
            set.dispose();
        }
    }

    public boolean isEnded() {
        return ended.get();
    }

    @Override
    public boolean isAwaited() {
        return to.isAwaited();
    }

    @Override
    public void began() {
        guarded(to::began);
    }

    @Override
    public void answered(Outputs outputs) {
        if (end(null)) {
            guarded(() -> to.answered(outputs));
        } else {
            outputs.close();
        }
    }

    @Override
    public void failed(EngineException failure) {
        fail(failure);
    }

    /** Ends it with a failure. False where it had ended before. */
    public boolean fail(EngineException failure) {
        if (!end(failure)) {
            return false;
        }
        guarded(() -> to.failed(failure));
        return true;
    }

    private boolean end(@Nullable EngineException failure) {
        if (!ended.compareAndSet(false, true)) {
            return false;
        }
        Disposable set = timer;
        if (set != null) {
            set.dispose();
        }
        guarded(() -> release.release(failure));
        return true;
    }

    private static void guarded(Runnable call) {
        try {
            call.run();
        } catch (Throwable thrown) {
            Thread self = Thread.currentThread();
            self.getUncaughtExceptionHandler().uncaughtException(self, thrown);
        }
    }
}
