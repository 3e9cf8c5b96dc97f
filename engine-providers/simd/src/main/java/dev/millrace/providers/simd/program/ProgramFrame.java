package dev.millrace.providers.simd.program;

import dev.millrace.codegen.code.DurationEstimate;
import dev.millrace.codegen.code.Recording;
import dev.millrace.graph.tensor.LastingMemory;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.MemoryPlanner;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one run at a time, with the kernel calls of all steps prepared for it. Calls on memory of the caller
 * are prepared again when that memory changes.
 */
final class ProgramFrame implements RunMemory, ParallelContext {
    private static final long ALIGNMENT = 64;
    /** The most bytes of an input or output that is copied, which takes less time than preparing calls anew. */
    private static final long STAGED_BYTES = 16 << 10;

    private final List<ProgramStep> steps;
    private final int width;
    private final RunBlocks.Block block;
    private final @Nullable Call[] calls;
    private final Replay replay;
    private final @Nullable MemorySegment[] inputs;
    private final @Nullable MemorySegment[] outputs;
    /**
     * Copies of inputs that are small, lie on the heap, where no kernel can read them, or may be freed during the run.
     */
    private final @Nullable MemorySegment[] stagedInputs;

    /** The memory that small outputs are computed in. */
    private final @Nullable MemorySegment[] stagedOutputs;

    private final int[][] readers;
    private final int[][] writers;
    private @Nullable ProgramStep current;
    private @Nullable LaunchContext context;
    /** The check for cancellation during a rehearsal, when there is no context. */
    private @Nullable Runnable rehearsal;

    private final Live tasks;
    private final Played shared = new Played();
    /** The next frame in a program's list of frames that it could not enter. */
    @Nullable
    ProgramFrame after;

    /** @param block the block, which is taken for the run that the frame is created for */
    ProgramFrame(PartitionProgram program, RunBlocks.Block block) {
        steps = program.steps();
        width = program.width();
        tasks = new Live(steps.size());
        this.block = block;
        calls = new Call[steps.size()];
        replay = new Replay(steps, width, program::newRecording, new Replay.Live() {
            @Override
            public void run(int step) {
                runLive(step);
            }

            @Override
            public void prepare(int step) {
                call(step);
            }
        });
        inputs = new MemorySegment[program.inputs()];
        outputs = new MemorySegment[program.outputs()];
        stagedInputs = new MemorySegment[program.inputs()];
        stagedOutputs = new MemorySegment[program.outputs()];
        readers = users(Storage.Kind.INPUT, inputs.length);
        writers = users(Storage.Kind.OUTPUT, outputs.length);
    }

    private int[][] users(Storage.Kind kind, int count) {
        List<List<Integer>> users = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            users.add(new ArrayList<>());
        }
        for (int i = 0; i < steps.size(); i++) {
            for (View view : steps.get(i).views()) {
                Storage root = view.storage().root();
                if (root.kind() == kind && !users.get(root.index()).contains(i)) {
                    users.get(root.index()).add(i);
                }
            }
        }
        return users.stream()
                .map(list -> list.stream().mapToInt(Integer::intValue).toArray())
                .toArray(int[][]::new);
    }

    /** Takes the block of the frame. Returns false where another run has it. */
    boolean enter() {
        return block.take();
    }

    /** Releases the block of the frame for other runs. */
    void leave() {
        block.give();
    }

    void run(LaunchContext launch) {
        context = launch;
        block.use();
        try {
            for (int i = 0; i < inputs.length; i++) {
                if (readers[i].length > 0) {
                    enter(inputs, i, staged(i, launch.input(i)), readers[i]);
                }
            }
            for (int i = 0; i < outputs.length; i++) {
                if (writers[i].length > 0) {
                    MemorySegment memory = launch.output(i);
                    enter(outputs, i, isSmall(memory) ? of(stagedOutputs, i, memory.byteSize()) : memory, writers[i]);
                }
            }
            Work.Listener listener = launch.listener();
            if (listener == null) {
                for (int i = 0; i < calls.length; ) {
                    launch.checkCancelled();
                    i = replay.run(i, shared);
                }
            } else {
                listened(launch, listener);
            }
            for (int i = 0; i < outputs.length; i++) {
                MemorySegment computed = stagedOutputs[i];
                if (writers[i].length > 0 && computed != null && isSmall(launch.output(i))) {
                    launch.output(i).copyFrom(computed);
                }
            }
        } finally {
            context = null;
        }
    }

    /**
     * Prepares the calls of all steps on memory that is in the same place in every run, which is all but large inputs
     * and outputs, and records the kernels that they call.
     */
    void prewarm(Runnable checkCancelled) {
        rehearsal = checkCancelled;
        try {
            stage(Storage.Kind.INPUT, inputs, stagedInputs, readers);
            stage(Storage.Kind.OUTPUT, outputs, stagedOutputs, writers);
            replay.prewarm(step -> isPlaced(steps.get(step)));
        } finally {
            rehearsal = null;
        }
    }

    private void stage(
            Storage.Kind kind, @Nullable MemorySegment[] known, @Nullable MemorySegment[] staged, int[][] users) {
        for (int i = 0; i < users.length; i++) {
            for (int user : users[i]) {
                long bytes = bytes(steps.get(user), kind, i);
                if (bytes <= STAGED_BYTES) {
                    enter(known, i, of(staged, i, bytes), users[i]);
                }
            }
        }
    }

    private static long bytes(ProgramStep step, Storage.Kind kind, int index) {
        for (View view : step.views()) {
            Storage root = view.storage().root();
            if (root.kind() == kind && root.index() == index) {
                return root.bytes();
            }
        }
        throw new IllegalStateException("a step uses nothing of what it is a user of");
    }

    private boolean isPlaced(ProgramStep step) {
        for (View view : step.views()) {
            Storage root = view.storage().root();
            if (root.kind() == Storage.Kind.INPUT && inputs[root.index()] == null
                    || root.kind() == Storage.Kind.OUTPUT && outputs[root.index()] == null) {
                return false;
            }
        }
        return true;
    }

    private void listened(LaunchContext launch, Work.Listener listener) {
        for (int i = 0; i < calls.length; i++) {
            launch.checkCancelled();
            long start = System.nanoTime();
            runLive(i);
            listener.ended(steps.get(i).asWork(), start, System.nanoTime());
        }
    }

    private void runLive(int step) {
        tasks.begin(step);
        call(step).run(this);
    }

    private Call call(int step) {
        Call call = calls[step];
        if (call == null) {
            current = steps.get(step);
            call = current.prepare(this);
            calls[step] = call;
        }
        return call;
    }

    private void enter(@Nullable MemorySegment[] known, int index, MemorySegment memory, int[] users) {
        MemorySegment before = known[index];
        if (before == null || before.address() != memory.address() || before.byteSize() != memory.byteSize()) {
            known[index] = memory;
            for (int user : users) {
                calls[user] = null;
                replay.forget(user);
            }
        }
    }

    private static boolean isSmall(MemorySegment memory) {
        return memory.byteSize() <= STAGED_BYTES;
    }

    private MemorySegment staged(int input, MemorySegment memory) {
        if (memory.isNative() && !isSmall(memory) && LastingMemory.holds(memory)) {
            return memory;
        }
        return of(stagedInputs, input, memory.byteSize()).copyFrom(memory);
    }

    /** Returns memory of this frame for an input or output. */
    private static MemorySegment of(@Nullable MemorySegment[] staged, int index, long bytes) {
        MemorySegment known = staged[index];
        if (known == null || known.byteSize() != bytes) {
            known = OwnMemory.allocate(Math.max(1, bytes), ALIGNMENT).asSlice(0, bytes);
            staged[index] = known;
        }
        return known;
    }

    @Override
    public MemorySegment segment(View view) {
        Storage root = view.storage().root();
        long offset = view.storage().offsetInRoot() + view.byteOffset();
        return whole(root).asSlice(offset, view.bytes());
    }

    private MemorySegment whole(Storage root) {
        MemorySegment found = switch (root.kind()) {
            case INPUT -> inputs[root.index()];
            case OUTPUT -> outputs[root.index()];
            case CONSTANT -> root.constant();
            case BLOCK -> placed(root);
        };
        if (found == null) {
            throw new IllegalStateException("a storage has no memory in this run");
        }
        return found;
    }

    private MemorySegment placed(Storage root) {
        MemoryPlanner.Buffer buffer = root.buffer();
        if (buffer == null) {
            throw new IllegalStateException("a storage was never placed");
        }
        return block.memory().asSlice(buffer.offset(), root.bytes());
    }

    @Override
    public MemorySegment scratch() {
        Storage storage = current == null ? null : current.scratchStorage();
        return storage == null ? MemorySegment.NULL : placed(storage);
    }

    @Override
    public LaunchContext launch() {
        LaunchContext launch = context;
        if (launch == null) {
            throw new IllegalStateException("no run is under way");
        }
        return launch;
    }

    @Override
    public int width() {
        return width;
    }

    @Override
    public void checkCancelled() {
        Runnable check = rehearsal;
        if (check == null) {
            launch().checkCancelled();
        } else {
            check.run();
        }
    }

    @Override
    public void run(int tasks, IntConsumer work) {
        if (tasks == 1) {
            work.accept(0);
            return;
        }
        Recording recording = Recording.ofThread();
        if (recording != null) {
            recording.tasks(tasks, work);
            return;
        }
        if (Recording.skipsCalls()) {
            work.accept(0);
            return;
        }
        this.tasks.share(tasks, work);
    }

    /** Runs the tasks of parallel loops as the steps share them. */
    private final class Live implements RangeTask {
        /** The duration of each parallel loop, by step. */
        private final DurationEstimate[][] took;

        private @Nullable IntConsumer task;
        private @Nullable DurationEstimate now;
        private int step;
        private int loop;

        Live(int steps) {
            took = new DurationEstimate[steps][0];
        }

        /** Says that a step starts to run. */
        void begin(int number) {
            step = number;
            loop = 0;
        }

        void share(int tasks, IntConsumer work) {
            task = work;
            if (loop == took[step].length) {
                took[step] = Arrays.copyOf(took[step], loop + 1);
                took[step][loop] = new DurationEstimate();
            }
            DurationEstimate measured = took[step][loop++];
            now = measured;
            launch().parallelFor(tasks, 1, this, measured.expect());
            measured.complete();
        }

        @Override
        public void run(LaunchContext launch, long from, long to, Scratch scratch) {
            IntConsumer work = task;
            DurationEstimate measured = now;
            if (work == null || measured == null) {
                return;
            }
            long begun = measured.begin();
            for (long i = from; i < to; i++) {
                launch.checkCancelled();
                work.accept((int) i);
            }
            measured.end(begun);
        }
    }

    /** Runs the tasks of recorded parallel loops. */
    private final class Played implements RangeTask, Recording.Sharing {
        private @Nullable Recording recording;
        private int stretch;

        @Override
        public void share(Recording from, int number, int tasks, long nanos) {
            recording = from;
            stretch = number;
            launch().parallelFor(tasks, 1, this, nanos);
        }

        @Override
        public void run(LaunchContext launch, long from, long to, Scratch scratch) {
            Recording played = recording;
            if (played != null) {
                played.play(stretch, (int) from, (int) to);
            }
        }
    }
}
