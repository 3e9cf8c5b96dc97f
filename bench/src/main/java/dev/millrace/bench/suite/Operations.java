package dev.millrace.bench.suite;

import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.concurrent.atomic.LongAdder;

/** Counts the multiplications and additions of runs. */
final class Operations implements RunListener {
    private static final int OF_A_PRODUCT = 2;

    private final LongAdder products = new LongAdder();

    long count() {
        return OF_A_PRODUCT * products.sum();
    }

    @Override
    public void workEnded(String plan, PlanStep step, Work work, long startNanos, long endNanos) {
        products.add(work.operations());
    }

    @Override
    public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
        // what is in a step counts
    }

    @Override
    public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
        // runs are not timed here
    }
}
