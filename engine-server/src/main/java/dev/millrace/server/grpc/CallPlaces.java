package dev.millrace.server.grpc;

import io.grpc.Status;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The places for requests that are handled at once. */
final class CallPlaces {
    private final int most;
    private final AtomicInteger taken = new AtomicInteger();
    /** Opens when no place is taken; null while nobody waits for that. */
    private volatile @Nullable CountDownLatch idle;

    CallPlaces(int most) {
        this.most = most;
    }

    int most() {
        return most;
    }

    /** Takes a place, which {@link #leave()} returns; false if all are taken. */
    boolean take() {
        if (taken.incrementAndGet() <= most) {
            return true;
        }
        leave();
        return false;
    }

    void leave() {
        if (taken.decrementAndGet() == 0) {
            CountDownLatch waiting = idle;
            if (waiting != null) {
                waiting.countDown();
            }
        }
    }

    Status full() {
        return Status.RESOURCE_EXHAUSTED.withDescription("the server handles " + most + " calls, its limit");
    }

    /** Returns the handling of a request that has a place until it is answered. It fails if there is none. */
    <T> Mono<T> placed(Mono<T> handling) {
        return Mono.using(
                () -> {
                    if (!take()) {
                        throw full().asRuntimeException();
                    }
                    return this;
                },
                _ -> handling,
                CallPlaces::leave);
    }

    /** Waits so long until no place is taken. */
    void awaitIdle(Duration time) throws InterruptedException {
        var latch = new CountDownLatch(1);
        idle = latch;
        if (taken.get() > 0) {
            latch.await(time.toNanos(), TimeUnit.NANOSECONDS);
        }
    }
}
