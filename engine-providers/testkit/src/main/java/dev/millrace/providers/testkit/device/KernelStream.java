package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.kernel.LaunchContext;

/** A stream that takes kernels of the host. */
interface KernelStream {
    /**
     * Gives the stream the work of a kernel.
     *
     * @param body the code, which gets the inputs of the device, those of the host, the outputs and the workspace
     */
    void submit(String operation, LaunchArguments arguments, LaunchContext context, Operation.Body body);
}
