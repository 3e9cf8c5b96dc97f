package dev.millrace.session.stream;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.reactivestreams.Subscription;
import reactor.core.Disposable;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.SignalType;
import reactor.util.context.ContextView;

/** A thread that asks for steps, and one that ends those under way: as many begin as were asked for, one at a time, in order. */
@JCStressTest
@Outcome(id = "3, 3, 0", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "steps are missing, too many, out of order, or two are under way at once")
@State
public class StepFluxStress {
    private static final int ASKED = 3;

    private final Walked steps = new Walked();
    private final Answers answers = new Answers();

    public StepFluxStress() {
        new StepFlux<>(_ -> steps).subscribe(answers);
    }

    /** Steps that end when somebody says so; there is always one more. */
    static final class Walked implements StepFlux.Steps<Integer> {
        final AtomicInteger begun = new AtomicInteger();
        final AtomicInteger closed = new AtomicInteger();
        final AtomicInteger violations = new AtomicInteger();
        private final AtomicReference<@Nullable Receiver<Integer>> underWay = new AtomicReference<>();

        @Override
        public Disposable begin(ContextView context, Receiver<Integer> to) {
            if (closed.get() != 0) {
                violations.incrementAndGet();
            }
            begun.incrementAndGet();
            if (underWay.getAndSet(to) != null) {
                violations.incrementAndGet();
            }
            return () -> {};
        }

        /** Ends the step under way, if one is. */
        boolean answer() {
            Receiver<Integer> to = underWay.getAndSet(null);
            if (to != null) {
                to.answered(begun.get());
            }
            return to != null;
        }

        @Override
        public boolean isDone() {
            return false;
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    static final class Answers extends BaseSubscriber<Integer> {
        final AtomicInteger count = new AtomicInteger();
        final AtomicInteger violations = new AtomicInteger();
        private final AtomicInteger inside = new AtomicInteger();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // the actors ask
        }

        @Override
        protected void hookOnNext(Integer answer) {
            if (inside.getAndIncrement() != 0 || answer != count.incrementAndGet()) {
                violations.incrementAndGet();
            }
            inside.decrementAndGet();
        }

        @Override
        protected void hookFinally(SignalType type) {
            if (type != SignalType.CANCEL) {
                violations.incrementAndGet();
            }
        }
    }

    @Actor
    public void asks() {
        answers.request(1);
        answers.request(2);
    }

    @Actor
    public void worker() {
        for (int i = 0; i < ASKED; i++) {
            steps.answer();
        }
    }

    @Arbiter
    public void after(III_Result result) {
        while (steps.answer()) {
            Thread.onSpinWait();
        }
        answers.cancel();
        result.r1 = steps.begun.get();
        result.r2 = answers.count.get();
        result.r3 = answers.violations.get() + steps.violations.get();
    }
}
