package dev.millrace.scheduler.pool;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Two loops of one job, one after the other, and a worker that helps whenever it finds one open. */
@JCStressTest
@Outcome(id = "3, 5, 0", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "items are done twice or not at all, or after their loop was closed")
@State
public class ParallelJobStress {
    private final ParallelJob job = new ParallelJob();
    private final AtomicInteger late = new AtomicInteger();
    private volatile int open;

    private int loop(int number, int items) {
        var done = new AtomicInteger();
        LoopBody task = (from, to, _) -> {
            if (open != number) {
                late.incrementAndGet();
            }
            done.addAndGet((int) (to - from));
        };
        open = number;
        job.open(task, items, 1, 1, 1);
        job.work(new Scratch());
        job.close();
        open = 0;
        return done.get();
    }

    @Actor
    public void owner(III_Result result) {
        result.r1 = loop(1, 3);
        result.r2 = loop(2, 5);
    }

    @Actor
    public void helper() {
        var scratch = new Scratch();
        for (int i = 0; i < 4; i++) {
            job.help(scratch, 0);
        }
    }

    @Arbiter
    public void after(III_Result result) {
        result.r3 = late.get();
    }
}
