package dev.millrace.scheduler.plan;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** Somebody who takes, and somebody who gives and takes: a thing is had by one of them or lies in the pool, never both. */
@JCStressTest
@Outcome(
        id = {"1, 2, 0", "2, 1, 0", "1, 0, 2", "0, 1, 2", "2, 0, 1", "0, 2, 1"},
        expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "a thing is lost, or had twice")
@State
public class SlotPoolStress {
    private final SlotPool<Integer> pool = new SlotPool<>(2);

    public SlotPoolStress() {
        pool.give(1);
    }

    private int taken() {
        Integer thing = pool.take();
        return thing == null ? 0 : thing;
    }

    @Actor
    public void taker(III_Result result) {
        result.r1 = taken();
    }

    @Actor
    public void giverAndTaker(III_Result result) {
        pool.give(2);
        result.r2 = taken();
    }

    @Arbiter
    public void left(III_Result result) {
        result.r3 = taken();
    }
}
