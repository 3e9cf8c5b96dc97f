package dev.millrace.scheduler;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Somebody begins to wait for a switch while its outer one is thrown: the waiter always hears of it. */
@JCStressTest
@Outcome(
        id = {"1", "2"},
        expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "a cancellation that nobody heard of")
@State
public class CancellationStress {
    private final AtomicInteger heard = new AtomicInteger();
    private final Cancellation outer = new Cancellation();
    private final Cancellation inner = new Cancellation(outer);

    @Actor
    public void waiter() {
        inner.whenCancelled(heard::incrementAndGet);
    }

    @Actor
    public void canceller() {
        outer.cancel();
    }

    @Arbiter
    public void after(I_Result result) {
        result.r1 = heard.get();
    }
}
