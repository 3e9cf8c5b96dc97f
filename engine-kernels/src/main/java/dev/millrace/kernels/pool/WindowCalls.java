package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The calls for windows over images of one shape. */
final class WindowCalls {
    private final WindowShape shape;
    private final int lanes;
    private final CallPlan plan;

    WindowCalls(KernelSet kernels, WindowShape shape, WindowOp op) {
        this.shape = shape;
        lanes = kernels.target().lanes();
        CallPlan.Builder calls = new CallPlan.Builder(kernels);
        new WindowPlanner(kernels.target(), shape, op, calls).plan();
        plan = calls.build();
    }

    void run(
            MemorySegment in,
            @Nullable MemorySegment weights,
            @Nullable MemorySegment residual,
            MemorySegment out,
            Parallel parallel) {
        long inImage = BlockedImages.elements(lanes, shape.channels(), shape.inPixels());
        long outImage = BlockedImages.elements(lanes, shape.channels(), shape.outPixels());
        CallChecks.vector("the input", in, Math.multiplyExact(inImage, shape.batch()));
        CallChecks.vector("the output", out, Math.multiplyExact(outImage, shape.batch()));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the input", in);
        if (residual != null) {
            CallChecks.vector("the residual", residual, outImage * shape.batch());
            CallChecks.apart("the output", out, "the residual", residual);
        }
        if (weights != null) {
            CallChecks.apart("the output", out, "the packed weights", weights);
        }
        plan.run(
                CallPlan.Operands.of(shape.batch())
                        .with(Base.INPUT, in, 4 * inImage)
                        .with(Base.WEIGHTS, weights, 0)
                        .with(Base.OUTPUT, out, 4 * outImage)
                        .with(Base.OTHER, residual, 4 * outImage),
                parallel);
    }
}
