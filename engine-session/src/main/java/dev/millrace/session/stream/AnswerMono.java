package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * A {@link Mono} that requests an answer for each subscription. An answer that nobody wants any more is freed. A caller
 * of {@code block()} may run the request on its own thread, which saves two thread switches.
 */
public final class AnswerMono<Q, A> extends Mono<A> {
    private final RunSource<Q, A> runs;
    private final Q request;
    private final Consumer<A> drop;
    private final boolean awaited;

    private AnswerMono(RunSource<Q, A> runs, Q request, Consumer<A> drop, boolean awaited) {
        this.runs = runs;
        this.request = request;
        this.drop = drop;
        this.awaited = awaited;
    }

    /** Returns an instance as a {@link Mono}, so that callers are verified without that large class being loaded. */
    public static <Q, A> Mono<A> of(RunSource<Q, A> runs, Q request, Consumer<A> drop) {
        return new AnswerMono<>(runs, request, drop, false);
    }

    /**
     * Waits for the answer, which may be computed on this thread. Throws on a non-blocking thread. The overload with a
     * timeout waits for another thread, which it can leave.
     */
    @Override
    public @Nullable A block() {
        return awaited || Schedulers.isInNonBlockingThread()
                ? super.block()
                : new AnswerMono<>(runs, request, drop, true).block();
    }

    @Override
    public void subscribe(CoreSubscriber<? super A> downstream) {
        var answer = new Answer<A>(downstream, drop, awaited);
        downstream.onSubscribe(answer);
        if (!answer.isDone()) {
            answer.started(runs.start(request, downstream.currentContext(), answer));
        }
    }

    private static final class Answer<A> implements Subscription, Receiver<A> {
        private static final int WAITING = 0;
        private static final int WANTED = 1;
        private static final int THERE = 2;
        private static final int DONE = 3;

        private final CoreSubscriber<? super A> downstream;
        private final Consumer<A> drop;
        private final boolean awaited;
        private final AtomicInteger state = new AtomicInteger(WAITING);
        private volatile @Nullable A answer;
        private volatile @Nullable Disposable run;
        private volatile boolean cancelled;

        Answer(CoreSubscriber<? super A> downstream, Consumer<A> drop, boolean awaited) {
            this.downstream = downstream;
            this.drop = drop;
            this.awaited = awaited;
        }

        boolean isDone() {
            return state.get() == DONE;
        }

        void started(Disposable begun) {
            run = begun;
            if (cancelled) {
                begun.dispose();
            }
        }

        @Override
        public boolean isAwaited() {
            return awaited;
        }

        @Override
        public void answered(A received) {
            answer = received;
            if (state.compareAndSet(WAITING, THERE)) {
                return;
            }
            if (state.compareAndSet(WANTED, DONE)) {
                deliver(received);
            } else {
                drop.accept(received);
            }
        }

        private void deliver(A received) {
            answer = null;
            downstream.onNext(received);
            downstream.onComplete();
        }

        @Override
        public void failed(EngineException failure) {
            if (state.getAndSet(DONE) != DONE) {
                downstream.onError(failure);
            }
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                cancel();
                downstream.onError(Emission.refusal(n));
                return;
            }
            if (!state.compareAndSet(WAITING, WANTED) && state.compareAndSet(THERE, DONE)) {
                A received = answer;
                if (received != null) {
                    deliver(received);
                }
            }
        }

        @Override
        public void cancel() {
            cancelled = true;
            int before = state.getAndSet(DONE);
            A received = answer;
            if (before == THERE && received != null) {
                answer = null;
                drop.accept(received);
            }
            Disposable begun = run;
            if (begun != null && before != DONE) {
                begun.dispose();
            }
        }
    }
}
