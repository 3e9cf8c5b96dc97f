package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.Context;

/**
 * A {@link Flux} that answers each request of a publisher. Demand passes upstream one to one, plus the number of
 * requests that the rules allow ahead, and no more than the rules' concurrency are under way at a time. A publisher
 * that sends more than was requested ends the stream.
 */
public final class InferenceFlux<Q, A, T> extends Flux<T> {
    private static final long FIRST_PAUSE_MILLIS = 1;
    /**
     * The limit of runs under way plus answers that wait for an earlier one, as a multiple of the concurrency. Without
     * that room, a thread that ends first would have nothing to do.
     */
    private static final long WINDOW = 2;

    private final RunSource<Q, A> target;
    private final Publisher<? extends Q> requests;
    private final StreamRules rules;
    private final Delivery<Q, A, T> delivery;

    /** The conversion of ended runs into the elements of the stream. */
    public interface Delivery<Q, A, T> {
        T answer(Q request, A answer);

        /** Returns the element for a failure, or null if the failure ends the stream. */
        @Nullable
        T failure(Q request, EngineException failure);

        /** Frees an answer that nobody receives. */
        void drop(A answer);
    }

    private InferenceFlux(
            RunSource<Q, A> target, Publisher<? extends Q> requests, StreamRules rules, Delivery<Q, A, T> delivery) {
        this.delivery = delivery;
        this.target = target;
        this.requests = requests;
        this.rules = rules;
    }

    /** Returns an instance as a {@link Flux}, so that callers are verified without that large class being loaded. */
    public static <Q, A, T> Flux<T> of(
            RunSource<Q, A> target, Publisher<? extends Q> requests, StreamRules rules, Delivery<Q, A, T> delivery) {
        return new InferenceFlux<>(target, requests, rules, delivery);
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> downstream) {
        requests.subscribe(new Answers(downstream));
    }

    /** A run, under way or ended, at its place in the order of answers. */
    private final class Run implements Receiver<A> {
        private final Answers answers;
        private final Q request;
        private volatile @Nullable A answer;
        private volatile @Nullable EngineException failure;
        private volatile @Nullable Disposable stop;
        private volatile boolean cancelled;
        private int tries;

        Run(Answers answers, Q request) {
            this.answers = answers;
            this.request = request;
        }

        void start() {
            Disposable begun;
            try {
                begun = target.start(request, answers.currentContext(), this);
            } catch (RuntimeException | Error refused) {
                if (!isDone()) {
                    failed(EngineException.wrap(Status.FAIL, "a request of a stream", refused));
                }
                return;
            }
            stop = begun;
            if (cancelled) {
                begun.dispose();
            }
        }

        void cancel() {
            cancelled = true;
            Disposable begun = stop;
            if (begun != null) {
                begun.dispose();
            }
        }

        @Override
        public void answered(A received) {
            answer = received;
            answers.finished.incrementAndGet();
            answers.drain();
        }

        @Override
        public void failed(EngineException thrown) {
            if (thrown.status() == Status.OVERLOADED && tries < rules.retries() && !cancelled) {
                Schedulers.parallel()
                        .schedule(this::start, FIRST_PAUSE_MILLIS << Math.min(tries++, 10), TimeUnit.MILLISECONDS);
                return;
            }
            failure = thrown;
            answers.finished.incrementAndGet();
            answers.drain();
        }

        boolean isDone() {
            return answer != null || failure != null;
        }
    }

    private final class Answers extends Emission<T> implements CoreSubscriber<Q> {
        private final ArrayDeque<Run> order = new ArrayDeque<>();
        private final AtomicLong finished = new AtomicLong();
        private @Nullable Subscription upstream;
        private volatile long asked;
        private long received;
        private long answered;
        private volatile boolean complete;
        private volatile @Nullable Throwable upstreamFailure;
        private volatile boolean ended;

        Answers(CoreSubscriber<? super T> downstream) {
            super(downstream);
        }

        @Override
        public Context currentContext() {
            return downstream.currentContext();
        }

        @Override
        public void onSubscribe(Subscription subscription) {
            if (Operators.validate(upstream, subscription)) {
                upstream = subscription;
                downstream.onSubscribe(this);
            }
        }

        @Override
        public void onNext(Q request) {
            Objects.requireNonNull(request, "request");
            if (complete || isCancelled() || ended) {
                return;
            }
            if (received == asked) {
                cancelUpstream();
                onError(EngineException.invalidArgument(
                        "the publisher of requests sent more than the " + asked + " that it was asked for"));
                return;
            }
            received++;
            var run = new Run(this, request);
            synchronized (order) {
                order.add(run);
            }
            if (isCancelled()) {
                run.cancel();
            }
            run.start();
        }

        @Override
        public void onError(Throwable failure) {
            Objects.requireNonNull(failure, "failure");
            if (complete) {
                Operators.onErrorDropped(failure, currentContext());
                return;
            }
            upstreamFailure = failure;
            complete = true;
            drain();
        }

        @Override
        public void onComplete() {
            complete = true;
            drain();
        }

        /** Requests nothing more, and stops the runs under way. */
        @Override
        void stop() {
            List<Run> all;
            synchronized (order) {
                all = List.copyOf(order);
            }
            all.forEach(Run::cancel);
            cancelUpstream();
        }

        private void cancelUpstream() {
            Subscription source = upstream;
            if (source != null) {
                source.cancel();
            }
        }

        @Override
        void round() {
            emit();
            ask();
        }

        private void emit() {
            Throwable refused = refusal();
            if (refused != null && !isCancelled() && !ended) {
                fail(refused);
            }
            for (Run run = nextDone(); run != null; run = nextDone()) {
                answered++;
                A answer = run.answer;
                if (isCancelled() || ended) {
                    if (answer != null) {
                        delivery.drop(answer);
                    }
                } else {
                    deliver(run.request, answer, run.failure);
                }
            }
            if (complete && !ended && !isCancelled() && isEmpty()) {
                ended = true;
                Throwable failure = upstreamFailure;
                if (failure == null) {
                    downstream.onComplete();
                } else {
                    downstream.onError(failure);
                }
            }
        }

        private void deliver(Q request, @Nullable A answer, @Nullable EngineException failure) {
            T delivered;
            if (answer != null) {
                delivered = delivery.answer(request, answer);
            } else {
                delivered = failure == null ? null : delivery.failure(request, failure);
            }
            if (delivered == null) {
                fail(failure);
            } else {
                downstream.onNext(delivered);
            }
        }

        private void fail(@Nullable Throwable failure) {
            ended = true;
            stop();
            downstream.onError(failure == null ? new IllegalStateException("a run ended without an answer") : failure);
        }

        /** Removes and returns the next run to emit, if it is done and its answer is wanted or given up. */
        private @Nullable Run nextDone() {
            boolean over = isCancelled() || ended;
            if (!over && answered >= demand()) {
                return null;
            }
            synchronized (order) {
                for (Run run : order) {
                    if (run.isDone()) {
                        order.remove(run);
                        return run;
                    }
                    if (rules.ordered() && !over) {
                        return null;
                    }
                }
                return null;
            }
        }

        private boolean isEmpty() {
            synchronized (order) {
                return order.isEmpty();
            }
        }

        private void ask() {
            if (isCancelled() || ended || complete) {
                return;
            }
            long before = asked;
            long room = Math.min(
                    Operators.addCap(demand(), rules.ahead()) - before,
                    Math.min(
                            rules.concurrency() - (before - finished.get()),
                            WINDOW * rules.concurrency() + rules.ahead() - (before - answered)));
            Subscription source = upstream;
            if (room > 0 && source != null) {
                asked = before + room;
                try {
                    source.request(room);
                } catch (RuntimeException | Error broken) {
                    fail(broken);
                }
            }
        }
    }
}
