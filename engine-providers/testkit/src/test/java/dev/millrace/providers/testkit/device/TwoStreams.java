package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.DeviceBuffer;
import dev.millrace.scheduler.device.DeviceRange;
import dev.millrace.scheduler.device.MemoryKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** The code under test of the worked example: one stream uploads, another one computes and downloads. */
final class TwoStreams {
    private final SimulatedStream copies;
    private final SimulatedStream kernels;

    TwoStreams(SimulatedStream copies, SimulatedStream kernels) {
        this.copies = copies;
        this.kernels = kernels;
    }

    /** Doubles floats in place, on the device; {@code completion} hears of the end. */
    void doubled(MemorySegment floats, CompletionListener completion) {
        var allocator = kernels.device().allocator(MemoryKind.DEFAULT);
        DeviceBuffer buffer = allocator.allocate(floats.byteSize(), copies);
        var whole = new DeviceRange(buffer, 0, buffer.byteSize());
        copies.device().transfer().copy(List.of(new Copy.Upload(floats, whole)), copies);
        long uploaded = copies.signal();
        copies.flush();
        kernels.waitFor(copies, uploaded);
        kernels.submit(new Operation("double", List.of(whole), List.of(whole), 0, TwoStreams::compute));
        kernels.device().transfer().copy(List.of(new Copy.Download(whole, floats)), kernels);
        allocator.free(buffer, kernels);
        long done = kernels.signal();
        kernels.flush();
        kernels.whenCompleted(done, completion);
    }

    private static void compute(List<MemorySegment> reads, List<MemorySegment> writes) {
        for (long i = 0; i < reads.getFirst().byteSize() / 4; i++) {
            float value = reads.getFirst().getAtIndex(ValueLayout.JAVA_FLOAT, i);
            writes.getFirst().setAtIndex(ValueLayout.JAVA_FLOAT, i, 2 * value);
        }
    }
}
