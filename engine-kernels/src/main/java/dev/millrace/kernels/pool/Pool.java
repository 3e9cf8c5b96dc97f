package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.MemorySegment;

/** A pooling of images of one shape in {@link dev.millrace.kernels.image.BlockedImages}. Safe for several threads. */
public final class Pool {
    private final Windows windows;

    public Pool(KernelSet kernels, WindowShape shape, Pooling pooling) {
        windows = new Windows(kernels, shape.reshaped(kernels.target().lanes()), pooling.op());
    }

    public void run(MemorySegment in, MemorySegment out, Parallel parallel) {
        windows.run(in, null, null, out, parallel);
    }
}
