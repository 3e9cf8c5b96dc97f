package dev.millrace.session.runtime;

import dev.millrace.graph.EngineException;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A run whose thread closes without waiting, and somebody who closes and waits: memory is freed once, under no run. */
@JCStressTest
@Outcome(
        id = {"0, 1, 1", "1, 1, 1"},
        expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "freed under a run, twice, not at all, or after closing has returned")
@State
public class RunGateStress {
    private final AtomicInteger freed = new AtomicInteger();
    private final RunGate gate = new RunGate(freed::incrementAndGet);

    @Actor
    public void run(III_Result result) {
        try {
            gate.enter();
            Thread.onSpinWait();
            result.r1 = 1 + 10 * freed.get();
            gate.leave();
        } catch (EngineException closed) {
            result.r1 = 0;
        }
        gate.close(false);
    }

    @Actor
    public void close(III_Result result) {
        gate.close(true);
        result.r2 = freed.get();
    }

    @Arbiter
    public void after(III_Result result) {
        result.r3 = freed.get();
    }
}
