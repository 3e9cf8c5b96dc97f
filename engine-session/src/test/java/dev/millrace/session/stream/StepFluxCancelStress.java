package dev.millrace.session.stream;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Somebody who cancels while a step ends and the next is asked for: the steps are closed once, and none begins after that. */
@JCStressTest
@Outcome(id = "1, 0", expect = Expect.ACCEPTABLE)
@Outcome(expect = Expect.FORBIDDEN, desc = "steps are left open, closed twice, or begin when they are closed")
@State
public class StepFluxCancelStress {
    private final StepFluxStress.Walked steps = new StepFluxStress.Walked();
    private final StepFluxStress.Answers answers = new StepFluxStress.Answers();

    public StepFluxCancelStress() {
        new StepFlux<>(_ -> steps).subscribe(answers);
        answers.request(1);
    }

    @Actor
    public void goesOn() {
        answers.request(1);
        steps.answer();
    }

    @Actor
    public void cancels() {
        answers.cancel();
    }

    @Arbiter
    public void after(II_Result result) {
        steps.answer();
        result.r1 = steps.closed.get();
        result.r2 = answers.violations.get() + steps.violations.get();
    }
}
