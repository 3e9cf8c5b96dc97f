package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.ContextView;

/**
 * Answers of which each depends on the one before. A step begins when its answer is wanted, and no two are under way at a
 * time; cancelling stops the one that is.
 */
public final class StepFlux<T> extends Flux<T> {
    private final Supplier<? extends Steps<T>> begins;

    /** What is walked through, once. */
    public interface Steps<T> extends AutoCloseable {
        /**
         * Begins the next step.
         *
         * @return stops it; the receiver may hear of it nevertheless
         */
        Disposable begin(ContextView context, Receiver<T> to);

        /** Whether the step that has ended was the last one. */
        boolean isDone();

        /** Ends it, whatever is under way. */
        @Override
        void close();
    }

    /** @param begins the steps of each subscription */
    public StepFlux(Supplier<? extends Steps<T>> begins) {
        this.begins = begins;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> downstream) {
        Steps<T> steps;
        try {
            steps = begins.get();
        } catch (RuntimeException failure) {
            Operators.error(downstream, failure);
            return;
        }
        downstream.onSubscribe(new Walk<>(downstream, steps));
    }

    private static final class Walk<T> implements Subscription, Receiver<T> {
        private final CoreSubscriber<? super T> downstream;
        private final Steps<T> steps;
        private final AtomicLong demand = new AtomicLong();
        private final AtomicInteger draining = new AtomicInteger();
        private volatile @Nullable T answer;
        private volatile @Nullable Throwable failure;
        private volatile @Nullable Disposable step;
        private volatile boolean cancelled;
        /** What only the one who drains looks at. */
        private boolean underWay;

        private boolean ended;

        Walk(CoreSubscriber<? super T> downstream, Steps<T> steps) {
            this.downstream = downstream;
            this.steps = steps;
        }

        @Override
        public void answered(T given) {
            answer = given;
            drain();
        }

        @Override
        public void failed(EngineException thrown) {
            failure = thrown;
            drain();
        }

        @Override
        public void request(long n) {
            if (n > 0) {
                demand.accumulateAndGet(n, Operators::addCap);
            } else {
                failure = new IllegalArgumentException("a subscriber asked for " + n
                        + " answers; one is the least (Reactive Streams 3.9, non-positive subscription request)");
            }
            drain();
        }

        @Override
        public void cancel() {
            cancelled = true;
            drain();
        }

        /** Everything that is decided is decided here, by one thread at a time. */
        private void drain() {
            if (draining.getAndIncrement() != 0) {
                return;
            }
            int missed = 1;
            do {
                try {
                    advance();
                } catch (Throwable thrown) {
                    // whoever throws here may not: nothing more goes to it
                    cancelled = true;
                    end();
                    Operators.onErrorDropped(thrown, downstream.currentContext());
                }
                missed = draining.addAndGet(-missed);
            } while (missed != 0);
        }

        private void advance() {
            if (ended) {
                return;
            }
            Throwable thrown = failure;
            if (cancelled) {
                end();
            } else if (thrown != null) {
                end();
                downstream.onError(thrown);
            } else {
                deliver();
                begin();
            }
        }

        private void deliver() {
            T given = answer;
            if (given == null) {
                return;
            }
            answer = null;
            underWay = false;
            demand.getAndUpdate(now -> now == Long.MAX_VALUE ? now : now - 1);
            boolean isDone = steps.isDone();
            downstream.onNext(given);
            if (isDone && !cancelled) {
                end();
                downstream.onComplete();
            }
        }

        private void begin() {
            if (!underWay && !ended && !cancelled && demand.get() > 0) {
                underWay = true;
                try {
                    step = steps.begin(downstream.currentContext(), this);
                } catch (RuntimeException thrown) {
                    end();
                    downstream.onError(thrown);
                }
            }
        }

        private void end() {
            ended = true;
            Disposable last = step;
            if (last != null) {
                last.dispose();
            }
            steps.close();
        }
    }
}
