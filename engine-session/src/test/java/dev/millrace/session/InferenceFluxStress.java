package dev.millrace.session;

import dev.millrace.graph.tensor.Tensor;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.SignalType;

/** Two threads that ask one flux for answers: as many come as were asked for, one at a time. */
@JCStressTest
@Outcome(id = "3, 0", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "answers are missing or too many, or two come at once")
@State
public class InferenceFluxStress {
    private static final long PATIENCE_NANOS = 10_000_000_000L;
    private static final Engine ENGINE =
            Engine.create(EngineOptions.builder().threads(2).build());
    /** Thousands of streams are open at a time: none of their requests is to be refused. */
    private static final Session SESSION = ENGINE.session(
            TestModels.sumAndProduct(),
            SessionOptions.builder().concurrency(2).queue(Integer.MAX_VALUE).build());

    private static final Inputs INPUTS = Inputs.of("a", 1f, 2f).and("b", Tensor.copyOf(new float[] {3, 4}, 2));

    private final Answers answers = new Answers();

    public InferenceFluxStress() {
        SESSION.flux(Flux.just(INPUTS, INPUTS, INPUTS, INPUTS, INPUTS)).subscribe(answers);
    }

    private static final class Answers extends BaseSubscriber<Outputs> {
        private final AtomicInteger count = new AtomicInteger();
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger violations = new AtomicInteger();

        @Override
        protected void hookOnSubscribe(Subscription subscription) {
            // the actors ask
        }

        @Override
        protected void hookOnNext(Outputs outputs) {
            if (inside.getAndIncrement() != 0) {
                violations.incrementAndGet();
            }
            outputs.close();
            count.incrementAndGet();
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
    public void one() {
        answers.request(1);
    }

    @Actor
    public void other() {
        answers.request(2);
    }

    @Arbiter
    public void after(II_Result result) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (answers.count.get() < 3 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        answers.cancel();
        result.r1 = answers.count.get();
        result.r2 = answers.violations.get();
    }
}
