package dev.millrace.kernels.conv;

import dev.millrace.kernels.driver.CallPlan;
import dev.millrace.kernels.driver.CallPlan.Base;
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
