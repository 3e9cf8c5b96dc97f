package dev.millrace.kernels.conv;

import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** One way to do a convolution of one shape. Extents were checked. */
interface ConvPlan {
    long packedBytes();

    String packedLayout();

    void pack(MemorySegment weights, @Nullable MemorySegment bias, MemorySegment packed);

    /** Memory that a run on some threads wants for itself. */
    long scratchBytes(int width);

    void run(ConvOperands operands, Parallel parallel);
}
