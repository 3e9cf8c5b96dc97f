package dev.millrace.kernels;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.key.KernelSet;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Work that is done by calls which were written down before the data were there. */
public final class Rehearsal {
    private Rehearsal() {}

    /**
     * Does some work: as it is, or now and then, where kernels are machine code, by the calls that it would have made while
     * its data were others.
     *
     * @param data what the work reads, and what may not decide which calls it makes
     */
    public static void run(KernelSet kernels, Random random, Runnable work, @Nullable MemorySegment... data) {
        Recording recording = random.nextBoolean() ? kernels.newRecording() : null;
        if (recording == null) {
            work.run();
            return;
        }
        byte[][] right = new byte[data.length][];
        for (int i = 0; i < data.length; i++) {
            MemorySegment segment = data[i];
            if (segment != null) {
                right[i] = segment.toArray(ValueLayout.JAVA_BYTE);
                byte[] other = new byte[right[i].length];
                random.nextBytes(other);
                segment.copyFrom(MemorySegment.ofArray(other));
            }
        }
        recording.prewarm(work);
        for (int i = 0; i < data.length; i++) {
            MemorySegment segment = data[i];
            if (segment != null) {
                segment.copyFrom(MemorySegment.ofArray(right[i]));
            }
        }
        recording.play(
                (from, stretch, tasks, nanos) -> TestThreads.share(tasks, task -> from.play(stretch, task, task + 1)));
    }
}
