package dev.millrace.example.npu;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.MemoryKind;

/** The state of a session that its kernels look at in each run. */
final class NpuSession {
    private final boolean isVirtual;
    private final NpuSettings.Fault fault;
    private volatile NpuSettings.Performance performance;

    /** @param isVirtual whether the session compiles for an NPU that is not here */
    NpuSession(NpuSettings settings, boolean isVirtual) {
        this.isVirtual = isVirtual;
        fault = settings.fault();
        performance = settings.performance();
    }

    NpuSettings.Performance performance() {
        return performance;
    }

    void change(NpuSettings.Performance to) {
        performance = to;
    }

    /** Refuses a run that the NPU cannot do, and lets it suffer the fault that the options ask for. */
    void begin(NpuStream stream) {
        if (isVirtual) {
            throw new EngineException(
                    Status.EP_FAIL, "the model was compiled for a virtual NPU; run it where there is a real one");
        }
        var device = (NpuDevice) stream.device();
        switch (fault) {
            case NONE -> {}
            case REFUSED -> throw new DeviceFailure("the NPU refuses work", false);
            case ERROR ->
                stream.submit(() -> {
                    throw new IllegalStateException("the NPU computes wrongly");
                });
            case OUT_OF_MEMORY -> device.allocator(MemoryKind.DEFAULT).allocate(Long.MAX_VALUE, stream);
            case LOST -> device.lose("the option fault says so");
        }
    }
}
