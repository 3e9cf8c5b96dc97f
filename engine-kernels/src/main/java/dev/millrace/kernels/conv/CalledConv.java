package dev.millrace.kernels.conv;

import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.Parallel;

/** A convolution that is calls of kernels and nothing else: they want no memory of their own. */
abstract class CalledConv implements ConvPlan {
    private final String layoutName;
    private final CallPlan plan;

    CalledConv(String layoutName, CallPlan plan) {
        this.layoutName = layoutName;
        this.plan = plan;
    }

    @Override
    public final String packedLayout() {
        return layoutName;
    }

    @Override
    public final long scratchBytes(int width) {
        return 0;
    }

    @Override
    public final void run(ConvOperands operands, Parallel parallel) {
        plan.run(operands.forCalls(), parallel);
    }
}
