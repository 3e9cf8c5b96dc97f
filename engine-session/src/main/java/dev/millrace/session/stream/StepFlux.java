package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.util.context.ContextView;

/**
 * A {@link Flux} of answers each of which depends on the previous one. A step begins when its answer is wanted, and no
 * two are under way at a time; cancelling stops the current one.
 */
public final class StepFlux<T> extends Flux<T> {
    private final Function<ContextView, ? extends Steps<T>> begins;

    /** A sequence of steps, used once. */
    public interface Steps<T> extends AutoCloseable {
        /**
         * Begins the next step.
         *
         * @return a handle that stops the step; the receiver may be called nevertheless
         */
        Disposable begin(ContextView context, Receiver<T> to);

        /** Whether the step that has ended was the last one. */
        boolean isDone();

        /** Ends the sequence, whatever is under way. */
        @Override
        void close();
    }

    /** @param begins creates the steps of each subscription, whose context it gets */
    public StepFlux(Function<ContextView, ? extends Steps<T>> begins) {
        this.begins = begins;
    }

    @Override
    public void subscribe(CoreSubscriber<? super T> downstream) {
        Steps<T> steps;
        try {
            steps = begins.apply(downstream.currentContext());
        } catch (RuntimeException | Error failure) {
            Operators.error(downstream, EngineException.wrap(Status.FAIL, "the beginning of a stream", failure));
            return;
        }
        downstream.onSubscribe(new Walk<>(downstream, steps));
    }

    private static final class Walk<T> extends Emission<T> implements Receiver<T> {
        private final Steps<T> steps;
        private volatile @Nullable T answer;
        private volatile @Nullable Throwable failure;
        private volatile @Nullable Disposable step;
        /** The number of answers delivered; like the fields below, accessed only by the thread that drains. */
        private long answered;

        private boolean underWay;
        private boolean ended;

        Walk(CoreSubscriber<? super T> downstream, Steps<T> steps) {
            super(downstream);
            this.steps = steps;
        }

        @Override
        public void answered(T value) {
            answer = value;
            drain();
        }

        @Override
        public void failed(EngineException thrown) {
            failure = thrown;
            drain();
        }

        @Override
        void round() {
            if (ended) {
                return;
            }
            Throwable refused = refusal();
            Throwable thrown = refused == null ? failure : refused;
            if (isCancelled()) {
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
            T value = answer;
            if (value == null) {
                return;
            }
            answer = null;
            underWay = false;
            answered++;
            boolean isDone = steps.isDone();
            downstream.onNext(value);
            if (isDone && !isCancelled()) {
                end();
                downstream.onComplete();
            }
        }

        private void begin() {
            if (!underWay && !ended && !isCancelled() && answered < demand()) {
                underWay = true;
                try {
                    step = steps.begin(downstream.currentContext(), this);
                } catch (RuntimeException | Error thrown) {
                    end();
                    downstream.onError(EngineException.wrap(Status.FAIL, "a step of a stream", thrown));
                }
            }
        }

        private void end() {
            ended = true;
            stop();
            steps.close();
        }

        @Override
        void stop() {
            Disposable last = step;
            if (last != null) {
                last.dispose();
            }
        }
    }
}
