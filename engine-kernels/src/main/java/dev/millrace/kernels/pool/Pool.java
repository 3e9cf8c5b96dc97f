package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A pooling of images of one shape in {@link dev.millrace.kernels.image.BlockedImages}. Safe for several threads. */
public final class Pool {
    private final WindowCalls windows;
    private final @Nullable LostNorms lost;

    public Pool(KernelSet kernels, WindowShape shape, PoolingOperation pooling) {
        int lanes = kernels.target().lanes();
        windows = new WindowCalls(kernels, shape.reshaped(lanes), pooling.op());
        lost = pooling.isOfKernels() ? null : new LostNorms(shape, lanes);
    }

    public void run(MemorySegment in, MemorySegment out, Parallel parallel) {
        windows.run(in, null, null, out, parallel);
        if (lost != null) {
            lost.mend(in, out, parallel);
        }
    }
}
