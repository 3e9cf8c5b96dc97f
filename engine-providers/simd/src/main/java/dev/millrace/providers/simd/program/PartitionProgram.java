package dev.millrace.providers.simd.program;

import dev.millrace.codegen.code.Recording;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.plan.MemoryPlanner;
import dev.millrace.scheduler.plan.SlotPool;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The steps of a partition for one tuple of shapes, with every storage placed in memory. Immutable. */
public final class PartitionProgram implements Launch {
    /** The most frames that are kept for later runs. */
    private static final int KEPT_FRAMES = 256;

    private final List<ProgramStep> steps;
    private final long blockBytes;
    private final int inputs;
    private final int outputs;
    private final int width;
    private final Supplier<@Nullable Recording> recordings;
    private final RunBlocks blocks;
    private final SlotPool<ProgramFrame> frames = new SlotPool<>(KEPT_FRAMES);

    private PartitionProgram(
            List<ProgramStep> steps,
            long blockBytes,
            int inputs,
            int outputs,
            int width,
            Supplier<@Nullable Recording> recordings,
            RunBlocks blocks) {
        this.steps = steps;
        this.blockBytes = blockBytes;
        this.inputs = inputs;
        this.outputs = outputs;
        this.width = width;
        this.recordings = recordings;
        this.blocks = blocks;
    }

    /**
     * Places every storage in memory.
     *
     * @param width the number of threads that a run can count on
     * @param recordings creates empty recordings, or returns null where calls of kernels cannot be replayed
     * @param blocks the blocks of memory that runs compute in
     */
    public static PartitionProgram of(
            List<ProgramStep> steps,
            int inputs,
            int outputs,
            int width,
            Supplier<@Nullable Recording> recordings,
            RunBlocks blocks) {
        var storages = new LinkedHashSet<Storage>();
        for (int i = 0; i < steps.size(); i++) {
            ProgramStep step = steps.get(i);
            for (View view : step.reads()) {
                live(view.storage(), i, storages);
            }
            for (View view : step.writes()) {
                live(view.storage(), i, storages);
            }
            Storage scratch = step.scratchStorage();
            if (scratch != null) {
                live(scratch, i, storages);
            }
        }
        var buffers = new ArrayList<MemoryPlanner.Buffer>();
        for (Storage storage : storages) {
            MemoryPlanner.Buffer buffer = storage.buffer();
            if (buffer != null) {
                buffers.add(buffer);
            }
        }
        long bytes = MemoryPlanner.place(buffers, 0);
        return new PartitionProgram(List.copyOf(steps), bytes, inputs, outputs, width, recordings, blocks);
    }

    private static void live(Storage part, int step, LinkedHashSet<Storage> storages) {
        Storage root = part.root();
        if (root.kind() == Storage.Kind.BLOCK) {
            storages.add(root);
            root.live(step);
        }
    }

    public List<ProgramStep> steps() {
        return steps;
    }

    /** The bytes of memory that a run needs beside its inputs and outputs. */
    public long blockBytes() {
        return blockBytes;
    }

    @Override
    public long memoryBytes() {
        return blockBytes;
    }

    int inputs() {
        return inputs;
    }

    int outputs() {
        return outputs;
    }

    int width() {
        return width;
    }

    @Nullable
    Recording newRecording() {
        return recordings.get();
    }

    @Override
    public void trim() {
        frames.trim(frame -> {});
    }

    @Override
    public String text() {
        return PartitionProgramText.of(this);
    }

    @Override
    public void run(LaunchContext context) {
        ProgramFrame frame = frame();
        frame.run(context);
        giveBack(frame);
    }

    @Override
    public void prewarm(Runnable checkCancelled) {
        ProgramFrame frame = frame();
        frame.prewarm(checkCancelled);
        giveBack(frame);
    }

    /** Returns a frame to the pool. A frame in which a run failed is not returned. */
    private void giveBack(ProgramFrame frame) {
        frame.leave();
        frames.give(frame);
    }

    /** Takes a frame whose block no other run has, and enters it. */
    private ProgramFrame frame() {
        ProgramFrame busy = null;
        ProgramFrame frame = frames.take();
        while (frame != null && !frame.enter()) {
            frame.after = busy;
            busy = frame;
            frame = frames.take();
        }
        while (busy != null) {
            ProgramFrame next = busy.after;
            busy.after = null;
            frames.give(busy);
            busy = next;
        }
        return frame == null ? new ProgramFrame(this, blocks.take(blockBytes, this)) : frame;
    }
}
