package dev.millrace.providers.simd.program;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.scheduler.kernel.LaunchContext;

/** The threads that work on a run. */
public interface ParallelContext extends Parallel {
    /** The launch that the run is a part of. */
    LaunchContext launch();
}
