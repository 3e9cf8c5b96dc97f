package dev.millrace.scheduler.pool;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Tasks that come while the pool is closed: each is done once, by a worker or by whoever brings it. */
@JCStressTest
@Outcome(id = "3", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "a task is lost or done twice")
@State
public class WorkerPoolStress {
    private static final long PATIENCE_NANOS = 5_000_000_000L;

    private final WorkerPool pool = new WorkerPool(1);
    private final AtomicInteger done = new AtomicInteger();

    @Actor
    public void bringer() {
        for (int i = 0; i < 3; i++) {
            pool.execute(done::incrementAndGet);
        }
    }

    @Actor
    public void closer() {
        pool.close();
    }

    @Arbiter
    public void after(I_Result result) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        while (done.get() < 3 && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        result.r1 = done.get();
    }
}
