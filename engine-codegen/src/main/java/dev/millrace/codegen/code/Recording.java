package dev.millrace.codegen.code;

import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A recording of calls of machine code with all their arguments, which machine code replays from a table without the
 * Java code around them. The caller that records guarantees that the same work on the same memory makes the same calls
 * and has no other effects. Drivers support this with arguments and memory from the recording that {@link #ofThread}
 * returns.
 *
 * <p>One thread at a time records or replays. Stretches of calls that consist of tasks are shared among threads by the
 * one that replays.
 */
public final class Recording {
    private static final ThreadLocal<@Nullable Recording> OF_THREAD = new ThreadLocal<>();
    /** The recording of threads that neither make nor record calls. */
    private static final Recording PRACTICE = new Recording();
    /** The number of threads that record. While it is 0, calls do not look up the recording of their thread. */
    private static final AtomicInteger UNDER_WAY = new AtomicInteger();

    private static final int FIRST_ENTRIES = 32;
    private static final long[] NONE = {};
    private static final int WORDS = CallPlayer.ENTRY_BYTES / Long.BYTES;
    private static final long CACHE_LINE = 64;
    private static final long CHUNK_BYTES = 8 << 10;

    private final @Nullable CallPlayer player;
    /** Memory that only the recorded calls use; the last chunk may have room left. */
    private final List<MemorySegment> chunks = new ArrayList<>();

    private long usedOfChunk;
    /** The recorded calls, in an array, which is fastest while nothing is compiled. */
    private long[] words = NONE;
    /** The calls in native memory for machine code; null until all are recorded, or some of them are replayed. */
    private @Nullable MemorySegment table;
    /** The number of the first call in the table. */
    private int firstOfTable;

    private int count;
    private final TaskRanges stretches = new TaskRanges();
    private long bytes;

    /** Creates a recording that can never be replayed. */
    private Recording() {
        player = null;
    }

    public Recording(CallPlayer player) {
        this.player = player;
    }

    /** Returns the recording of this thread's calls, or null. */
    public static @Nullable Recording ofThread() {
        Recording recording = inForce();
        return recording == PRACTICE ? null : recording;
    }

    private static @Nullable Recording inForce() {
        return UNDER_WAY.getPlain() == 0 ? null : OF_THREAD.get();
    }

    /** Whether calls of this thread are only recorded or skipped, not made. */
    public static boolean skipsCalls() {
        return inForce() != null;
    }

    /**
     * Returns the pointer to pass to a kernel for a block of arguments that is rewritten later: {@code pointer} itself,
     * or, during a recording, a pointer to a copy of the current block.
     */
    public static long arguments(MemorySegment block, long pointer) {
        Recording recording = ofThread();
        return recording == null
                ? pointer
                : recording.memory(block.byteSize()).copyFrom(block).address();
    }

    /** Copies bytes of native memory as a recordable call. */
    public static void copy(MemorySegment from, MemorySegment to) {
        if (!skipsCalls()) {
            to.copyFrom(from);
        }
        Recording recording = ofThread();
        if (recording != null) {
            recording.add(recording.player().copy(), to.address(), from.address(), from.byteSize(), 0, 0, 0);
        }
    }

    /** Fills native memory with zeros as a recordable call. */
    public static void clear(MemorySegment memory) {
        if (!skipsCalls()) {
            memory.fill((byte) 0);
        }
        Recording recording = ofThread();
        if (recording != null) {
            recording.add(recording.player().zeros(), memory.address(), memory.byteSize(), 0, 0, 0, 0);
        }
    }

    private static void inForce(Recording recording, Runnable work) {
        UNDER_WAY.incrementAndGet();
        OF_THREAD.set(recording);
        try {
            work.run();
        } finally {
            OF_THREAD.remove();
            UNDER_WAY.decrementAndGet();
        }
    }

    /** Runs some work without its calls, to warm up: its code is assembled and its Java code has run once. */
    public static void practise(Runnable work) {
        inForce(PRACTICE, work);
    }

    /**
     * Records the calls that some work would make, after the known ones, without making them. Its calls must not depend
     * on data.
     */
    public void prewarm(Runnable work) {
        inForce(this, work);
    }

    /** Records a call of this thread. */
    public void add(MachineFunction function, long a, long b, long c, long d, long e, long f) {
        if (table != null) {
            throw new IllegalStateException("calls that were made again already take no more of them");
        }
        int at = count * WORDS;
        if (at == words.length) {
            words = Arrays.copyOf(words, Math.max(FIRST_ENTRIES * WORDS, 2 * at));
        }
        words[at] = function.address();
        words[at + 1] = a;
        words[at + 2] = b;
        words[at + 3] = c;
        words[at + 4] = d;
        words[at + 5] = e;
        words[at + 6] = f;
        count++;
        bytes += CallPlayer.ENTRY_BYTES;
    }

    /** Records the calls of tasks that may run in any order and in parallel. */
    public void tasks(int tasks, IntConsumer task) {
        boolean begins = stretches.begin(count);
        for (int i = 0; i < tasks; i++) {
            task.accept(i);
            if (begins) {
                stretches.endTask(count);
            }
        }
        if (begins) {
            stretches.end();
        }
    }

    /** Allocates memory in place of memory that a driver would reuse between its calls; nothing else ever writes it. */
    public MemorySegment memory(long size) {
        long start = usedOfChunk;
        if (chunks.isEmpty() || start + size > chunks.getLast().byteSize()) {
            chunks.add(Blocks.allocate(Math.max(size, CHUNK_BYTES), CACHE_LINE));
            start = 0;
        }
        usedOfChunk = (start + size + CACHE_LINE - 1) & -CACHE_LINE;
        bytes += size;
        return chunks.getLast().asSlice(start, size);
    }

    public int count() {
        return count;
    }

    /** The number of bytes of the recorded calls and their memory. */
    public long bytes() {
        return bytes;
    }

    /** Discards all calls after the first {@code calls}; their memory may be kept. */
    public void cutTo(int calls) {
        count = calls;
        stretches.cutTo(calls);
    }

    private CallPlayer player() {
        return Objects.requireNonNull(player);
    }

    /** Replays all calls, in their order, on this thread. */
    public void play() {
        play((recording, stretch, tasks, nanos) -> play(stretch, 0, tasks));
    }

    /** Distributes the tasks of a stretch among threads; returns when all are done. */
    @FunctionalInterface
    public interface Sharing {
        /**
         * @param nanos the time that they take one thread, or {@link DurationEstimate#UNKNOWN}
         * @see Recording#play(int, int, int)
         */
        void share(Recording recording, int stretch, int tasks, long nanos);
    }

    /** Replays all calls, those of tasks on the threads of {@code sharing}. */
    public void play(Sharing sharing) {
        if (table == null) {
            table = table(0);
            words = NONE;
        }
        playFrom(0, sharing);
    }

    /** Replays the calls after the first {@code calls}, while more may still be recorded. */
    public void playAfter(int calls, Sharing sharing) {
        table = table(calls);
        firstOfTable = calls;
        try {
            playFrom(calls, sharing);
        } finally {
            table = null;
            firstOfTable = 0;
        }
    }

    private void playFrom(int first, Sharing sharing) {
        int at = first;
        for (int stretch = 0; stretch < stretches.count(); stretch++) {
            int start = stretches.start(stretch, 0);
            if (start < first) {
                continue;
            }
            play(at, start);
            int tasks = stretches.tasks(stretch);
            DurationEstimate took = stretches.took(stretch);
            sharing.share(this, stretch, tasks, took.expect());
            took.complete();
            at = stretches.start(stretch, tasks);
        }
        play(at, count);
    }

    /** Replays the calls of some tasks of a stretch, for {@link Sharing}. */
    public void play(int stretch, int firstTask, int endTask) {
        DurationEstimate took = stretches.took(stretch);
        long begun = took.begin();
        play(stretches.start(stretch, firstTask), stretches.start(stretch, endTask));
        took.end(begun);
    }

    private void play(int first, int end) {
        if (first == end) {
            return;
        }
        MemorySegment calls = Objects.requireNonNull(table);
        try {
            player().play(calls.address() + (long) (first - firstOfTable) * CallPlayer.ENTRY_BYTES, end - first);
        } finally {
            Reference.reachabilityFence(this);
        }
    }

    private MemorySegment table(int first) {
        int calls = count - first;
        MemorySegment made =
                Blocks.allocate((long) Math.max(1, calls) * CallPlayer.ENTRY_BYTES, CallPlayer.ENTRY_BYTES);
        MemorySegment.copy(
                MemorySegment.ofArray(words),
                (long) first * CallPlayer.ENTRY_BYTES,
                made,
                0,
                (long) calls * CallPlayer.ENTRY_BYTES);
        return made;
    }
}
