package dev.millrace.scheduler.device;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A device that tells of one completion twice, on two threads: it is heard once. */
@JCStressTest
@Outcome(id = "1", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "heard twice, or not at all")
@State
public class CompletionListenerStress {
    private final AtomicInteger heard = new AtomicInteger();
    private final CompletionListener listener = CompletionListener.once(_ -> heard.incrementAndGet());

    @Actor
    public void one() {
        listener.completed(null);
    }

    @Actor
    public void other() {
        listener.completed(new DeviceFailure("lost", true));
    }

    @Arbiter
    public void after(I_Result result) {
        result.r1 = heard.get();
    }
}
