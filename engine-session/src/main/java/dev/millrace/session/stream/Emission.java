package dev.millrace.session.stream;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Operators;

/**
 * A subscription whose answers are emitted in rounds of a drain loop, so by one thread at a time. A
 * subscriber that throws counts as cancelled.
 */
abstract class Emission<T> implements Subscription {
    final CoreSubscriber<? super T> downstream;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger draining = new AtomicInteger();
    private volatile @Nullable Throwable refusal;
    private volatile boolean cancelled;

    Emission(CoreSubscriber<? super T> downstream) {
        this.downstream = downstream;
    }

    /** Returns the failure of a request for a non-positive number of answers. */
    static IllegalArgumentException refusal(long n) {
        return new IllegalArgumentException("a subscriber asked for " + n
                + " answers; one is the least (Reactive Streams 3.9, non-positive subscription request)");
    }

    /** Does one round: takes every decision, and leaves those that an exception prevents to the next round. */
    abstract void round();

    /** Stops the work under way, whose end is still received. */
    abstract void stop();

    /** The number of answers that were requested, emitted ones included. */
    final long demand() {
        return demand.get();
    }

    /** The failure of a non-positive request, if there was one. */
    final @Nullable Throwable refusal() {
        return refusal;
    }

    final boolean isCancelled() {
        return cancelled;
    }

    @Override
    public final void request(long n) {
        if (n > 0) {
            demand.accumulateAndGet(n, Operators::addCap);
        } else {
            refusal = refusal(n);
        }
        drain();
    }

    @Override
    public final void cancel() {
        cancelled = true;
        stop();
        drain();
    }

    final void drain() {
        if (draining.getAndIncrement() != 0) {
            return;
        }
        @Nullable Throwable broken = null;
        int missed = 1;
        do {
            try {
                round();
            } catch (Throwable thrown) {
                // a subscriber that throws breaks the rules: it gets nothing more, and nothing more is requested for it
                broken = broken == null ? thrown : broken;
                cancelled = true;
                draining.incrementAndGet();
            }
            missed = draining.addAndGet(-missed);
        } while (missed != 0);
        if (broken != null) {
            leave(broken);
        }
    }

    private void leave(Throwable broken) {
        try {
            stop();
        } finally {
            Operators.onErrorDropped(broken, downstream.currentContext());
        }
    }
}
