package dev.millrace.scheduler.run;

import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A device adds a task while the thread that waits for the run is about to park: the task is done, and the thread goes on. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE, desc = "the waiting thread did it")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "another thread was asked, too")
@Outcome(expect = Expect.FORBIDDEN, desc = "a task that was not done, or twice")
@State
public class RunTasksStress {
    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final RunTasks tasks = new RunTasks(task -> {
        asked.set(1);
        task.run();
    });

    @Actor
    public void device() {
        tasks.add(() -> {
            done.incrementAndGet();
            tasks.wake();
        });
    }

    @Actor
    public void waiting(II_Result result) {
        tasks.workUntil(() -> done.get() > 0);
        result.r1 = done.get();
        result.r2 = asked.get();
    }
}
