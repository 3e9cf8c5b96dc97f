package dev.millrace.session.stream;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Two who add to queues that may have one job under way each, on threads that are fewer: every job is done, and no queue has
 * two under way.
 */
@JCStressTest
@Outcome(id = "4, 0", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "a job waits for ever, or two of one queue are under way")
@State
public class RunQueueStress {
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private static final RunThreads THREADS = new RunThreads(1);

    private final Own one = new Own();
    private final Own other = new Own();
    private final AtomicInteger done = new AtomicInteger();

    /** A queue, and whether a job of it is under way. */
    private static final class Own {
        private final RunQueue queue = THREADS.queue(2, 1, 1);
        private final AtomicInteger inside = new AtomicInteger();
        private final AtomicInteger violations = new AtomicInteger();
    }

    private final class Step extends Job {
        private final Own own;

        Step(Own own) {
            super(0);
            this.own = own;
        }

        @Override
        public void run() {
            if (own.inside.getAndIncrement() != 0) {
                own.violations.incrementAndGet();
            }
            own.inside.decrementAndGet();
            done.incrementAndGet();
        }
    }

    private void addTwo(Own own) {
        own.queue.add(new Step(own));
        own.queue.add(new Step(own));
    }

    @Actor
    public void oneAdder() {
        addTwo(one);
    }

    @Actor
    public void otherAdder() {
        addTwo(other);
    }

    @Arbiter
    public void after(II_Result result) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (done.get() < 4 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        result.r1 = done.get();
        result.r2 = one.violations.get() + other.violations.get();
    }
}
