package dev.millrace.session.runtime;

import dev.millrace.session.stream.FifoLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * The turns of the runs of a model whose provider takes one run at a time. A run that devices do holds no thread in its
 * turn. A thread that has the turn may run the model once more, within its run.
 */
public final class RunTurns {
    private final FifoLock turns = new FifoLock();
    private volatile @Nullable Thread holder;

    /** @param check called every few milliseconds of a wait, and ends it by throwing */
    <T> T take(Runnable check, Supplier<T> run) {
        Thread self = Thread.currentThread();
        if (holder == self) {
            return run.get();
        }
        turns.take(check);
        holder = self;
        try {
            return run.get();
        } finally {
            holder = null;
            turns.give();
        }
    }

    /** Begins a run when its turn has come, now or on the thread that ends the turn before. */
    FifoLock.Place later(Function<FifoLock.Place, Disposable> run) {
        return turns.later(run);
    }

    public boolean isTaken() {
        return turns.isTaken();
    }

    /** Whether a run waits for its turn. */
    public boolean isAwaited() {
        return turns.isAwaited();
    }
}
