package dev.millrace.session;

import dev.millrace.scheduler.Cancellation;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;

/**
 * Runs a session for each request and answers in order. Every request that is asked for has an answer asked for: demand
 * passes upstream one to one, and no more than {@code concurrency} requests are out at a time.
 */
final class InferenceFlux extends Flux<Outputs> {
    private final Session session;
    private final Publisher<? extends Inputs> requests;
    private final int concurrency;

    InferenceFlux(Session session, Publisher<? extends Inputs> requests, int concurrency) {
        this.session = session;
        this.requests = requests;
        this.concurrency = concurrency;
    }

    @Override
    public void subscribe(CoreSubscriber<? super Outputs> downstream) {
        requests.subscribe(new Runs(downstream));
    }

    /** A run, under way or ended, at its place in the order of answers. */
    private static final class Run {
        private final Cancellation cancellation = new Cancellation();
        private volatile @Nullable Outputs outputs;
        private volatile @Nullable Throwable failure;

        boolean isDone() {
            return outputs != null || failure != null;
        }
    }

    private final class Runs implements CoreSubscriber<Inputs>, Subscription {
        private final CoreSubscriber<? super Outputs> downstream;
        private final ArrayDeque<Run> order = new ArrayDeque<>();
        private final AtomicLong demand = new AtomicLong();
        private final AtomicInteger draining = new AtomicInteger();
        private @Nullable Subscription upstream;
        private long asked;
        private long answered;
        private volatile boolean complete;
        private volatile @Nullable Throwable upstreamFailure;
        private volatile boolean cancelled;
        private boolean ended;

        Runs(CoreSubscriber<? super Outputs> downstream) {
            this.downstream = downstream;
        }

        @Override
        public reactor.util.context.Context currentContext() {
            return downstream.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            upstream = subscription;
            downstream.onSubscribe(this);
        }

        @Override
        public void onNext(Inputs inputs) {
            var run = new Run();
            synchronized (order) {
                order.add(run);
            }
            if (cancelled) {
                run.cancellation.cancel();
            }
            try {
                session.engine().runs().execute(() -> perform(run, inputs));
            } catch (RuntimeException refused) {
                run.failure = refused;
                drain();
            }
        }

        private void perform(Run run, Inputs inputs) {
            try {
                run.cancellation.check();
                run.outputs = session.run(inputs, run.cancellation);
            } catch (Throwable thrown) {
                run.failure = thrown;
            }
            drain();
        }

        @Override
        public void onError(Throwable failure) {
            upstreamFailure = failure;
            complete = true;
            drain();
        }

        @Override
        public void onComplete() {
            complete = true;
            drain();
        }

        @Override
        public void request(long n) {
            if (n <= 0) {
                onError(new IllegalArgumentException("a subscriber asked for " + n + " answers; one is the least"));
                return;
            }
            demand.accumulateAndGet(n, Operators::addCap);
            drain();
        }

        @Override
        public void cancel() {
            cancelled = true;
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
            synchronized (order) {
                order.forEach(run -> run.cancellation.cancel());
            }
            drain();
        }

        /** Everything that is decided is decided here, by one thread at a time. */
        private void drain() {
            if (draining.getAndIncrement() != 0) {
                return;
            }
            int missed = 1;
            do {
                emit();
                ask();
                missed = draining.addAndGet(-missed);
            } while (missed != 0);
        }

        private void emit() {
            for (Run run = head(); run != null && run.isDone(); run = head()) {
                synchronized (order) {
                    order.poll();
                }
                answered++;
                Outputs outputs = run.outputs;
                if (cancelled || ended) {
                    if (outputs != null) {
                        outputs.close();
                    }
                } else if (outputs != null) {
                    downstream.onNext(outputs);
                } else {
                    fail(run.failure);
                }
            }
            if (complete && !ended && !cancelled && head() == null) {
                ended = true;
                Throwable failure = upstreamFailure;
                if (failure == null) {
                    downstream.onComplete();
                } else {
                    downstream.onError(failure);
                }
            }
        }

        private void fail(@Nullable Throwable failure) {
            ended = true;
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
            synchronized (order) {
                order.forEach(run -> run.cancellation.cancel());
            }
            downstream.onError(failure == null ? new IllegalStateException("a run ended without an answer") : failure);
        }

        private @Nullable Run head() {
            synchronized (order) {
                return order.peek();
            }
        }

        private void ask() {
            if (cancelled || ended || complete) {
                return;
            }
            long room = Math.min(demand.get() - asked, concurrency - (asked - answered));
            Subscription source = upstream;
            if (room > 0 && source != null) {
                asked += room;
                source.request(room);
            }
        }
    }
}
