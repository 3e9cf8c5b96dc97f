package dev.millrace.kernels.conv;

import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Base;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one convolution.
 *
 * @param inImage elements of an image of the input
 * @param outImage elements of an image of the output
 */
record ConvOperands(
        int batch,
        MemorySegment in,
        long inImage,
        MemorySegment packed,
        @Nullable MemorySegment residual,
        MemorySegment out,
        long outImage,
        @Nullable MemorySegment scratch) {

    /** Checks the extents of images. */
    void check(boolean readsResidual) {
        CallChecks.vector("the input", in, Math.multiplyExact(inImage, batch));
        CallChecks.vector("the output", out, Math.multiplyExact(outImage, batch));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the input", in);
        if (readsResidual != (residual != null)) {
            throw new IllegalArgumentException(
                    readsResidual ? "what follows reads a residual, but none is given" : "a residual is not read");
        }
        if (residual != null) {
            CallChecks.vector("the residual", residual, outImage * batch);
        }
    }

    CallPlan.Operands forCalls() {
        return CallPlan.Operands.of(batch)
                .with(Base.INPUT, in, 4 * inImage)
                .with(Base.WEIGHTS, packed, 0)
                .with(Base.OUTPUT, out, 4 * outImage)
                .with(Base.OTHER, residual, 4 * outImage);
    }

    /** Part of the scratch memory, which is there. */
    MemorySegment scratch(long from, long bytes) {
        if (scratch == null) {
            throw new IllegalStateException("no scratch memory");
        }
        return scratch.asSlice(from, bytes);
    }
}
