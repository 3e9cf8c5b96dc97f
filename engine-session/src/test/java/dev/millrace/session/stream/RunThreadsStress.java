package dev.millrace.session.stream;

import dev.millrace.graph.EngineException;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * One who does jobs or adds them, and one who takes back what is there and then closes: each job is done, taken back or refused, and only
 * one of these.
 */
@JCStressTest
@Outcome(id = "0, 0", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "a job is lost, done twice, or done although it was taken back")
@State
public class RunThreadsStress {
    private static final int JOBS = 3;
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private final RunThreads threads = new RunThreads(2);
    private final RunQueue queue = threads.queue(JOBS, 1, 1);
    private final Counted[] jobs = {new Counted(), new Counted(), new Counted()};
    private final AtomicInteger over = new AtomicInteger();

    /** Ends once: by a thread that does it, by who takes it back, or by a refusal. */
    private static final class Counted extends Job {
        private final AtomicInteger ends = new AtomicInteger();

        Counted() {
            super(0);
        }

        @Override
        public void run() {
            ends.incrementAndGet();
        }
    }

    @Actor
    public void adder() {
        for (Counted job : jobs) {
            try {
                if (!queue.run(job)) {
                    queue.add(job);
                }
            } catch (EngineException refused) {
                job.ends.incrementAndGet();
            }
        }
    }

    @Actor
    public void takerAndCloser() {
        for (Counted job : jobs) {
            if (queue.remove(job)) {
                job.ends.incrementAndGet();
            }
        }
        threads.close();
    }

    @Arbiter
    public void after(II_Result result) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (endedOnce() < JOBS && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        for (Counted job : jobs) {
            over.addAndGet(Math.max(0, job.ends.get() - 1));
        }
        result.r1 = JOBS - endedOnce();
        result.r2 = over.get();
    }

    private int endedOnce() {
        int count = 0;
        for (Counted job : jobs) {
            count += Math.min(1, job.ends.get());
        }
        return count;
    }
}
