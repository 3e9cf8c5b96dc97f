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
 * Calls of machine code, written down with all their arguments, and made again without the Java around them: by machine
 * code that walks through a table. Whoever records vouches that the same work on the same memory makes the same calls, and
 * does nothing else that could be seen; drivers help by what they ask of {@link #ofThread}.
 *
 * <p>One thread at a time records or plays; stretches of it that consist of tasks are shared by the one that plays.
 */
public final class Recording {
    private static final ThreadLocal<@Nullable Recording> OF_THREAD = new ThreadLocal<>();
    /** Stands for a recording on threads that make no calls and write none down. */
    private static final Recording PRACTICE = new Recording();
    /** So that calls look at their thread only where some thread records. */
    private static final AtomicInteger UNDER_WAY = new AtomicInteger();

    private static final int FIRST_ENTRIES = 32;
    private static final long[] NONE = {};
    private static final int WORDS = CallPlayer.ENTRY_BYTES / Long.BYTES;
    private static final long CACHE_LINE = 64;
    private static final long CHUNK_BYTES = 8 << 10;

    private final @Nullable CallPlayer player;
    /** Memory that the calls use, and nobody else; the last one has room left. */
    private final List<MemorySegment> chunks = new ArrayList<>();

    private long usedOfChunk;
    /** The calls as they are written down, in Java's memory, which costs least while nothing is compiled. */
    private long[] words = NONE;
    /** The same where machine code reads them; null until they are all there, or some of them are played. */
    private @Nullable MemorySegment table;
    /** The call with which the table begins. */
    private int firstOfTable;

    private int count;
    private final Stretches stretches = new Stretches();
    private long bytes;

    /** One that can never be played. */
    private Recording() {
        player = null;
    }

    public Recording(CallPlayer player) {
        this.player = player;
    }

    /** The one that records what this thread does, or null. */
    public static @Nullable Recording ofThread() {
        Recording recording = inForce();
        return recording == PRACTICE ? null : recording;
    }

    private static @Nullable Recording inForce() {
        return UNDER_WAY.getPlain() == 0 ? null : OF_THREAD.get();
    }

    /** Whether calls of this thread are not to be made. */
    public static boolean skipsCalls() {
        return inForce() != null;
    }

    /**
     * What to pass to a kernel for a block of arguments that will be written again: the pointer to the block, or to a copy
     * that stays as the block is now.
     */
    public static long arguments(MemorySegment block, long pointer) {
        Recording recording = ofThread();
        return recording == null
                ? pointer
                : recording.memory(block.byteSize()).copyFrom(block).address();
    }

    /** Copies bytes of native memory, between kernels or in place of one. */
    public static void copy(MemorySegment from, MemorySegment to) {
        if (!skipsCalls()) {
            to.copyFrom(from);
        }
        Recording recording = ofThread();
        if (recording != null) {
            recording.add(recording.player().copy(), to.address(), from.address(), from.byteSize(), 0, 0, 0);
        }
    }

    /** Fills native memory with zeros, between kernels or in place of one. */
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

    /** Does some work without its calls, for what it leaves behind: code is made, and the Java that led there was run. */
    public static void practise(Runnable work) {
        inForce(PRACTICE, work);
    }

    /**
     * Writes down what calls some work would make, behind those that are known, without making them: for work whose calls do
     * not depend on data.
     */
    public void rehearse(Runnable work) {
        inForce(this, work);
    }

    /** Writes down a call of this thread. */
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

    /** Writes down the calls of tasks that may be done in any order, and at once. */
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

    /** Memory in place of what a driver would share between its calls: it is written by nobody else, ever. */
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

    /** What the calls take themselves. */
    public long bytes() {
        return bytes;
    }

    /** Forgets all calls after the first so many; what they used may be kept. */
    public void cutTo(int calls) {
        count = calls;
        stretches.cutTo(calls);
    }

    private CallPlayer player() {
        return Objects.requireNonNull(player);
    }

    /** Makes all calls again, in their order, on this thread. */
    public void play() {
        play((recording, stretch, tasks, nanos) -> play(stretch, 0, tasks));
    }

    /** Has the tasks of a stretch done by several threads; returns when all are. */
    @FunctionalInterface
    public interface Sharing {
        /**
         * @param nanos what they take one thread, or {@link Took#UNKNOWN}
         * @see Recording#play(int, int, int)
         */
        void share(Recording recording, int stretch, int tasks, long nanos);
    }

    /** Makes all calls again, those of tasks on threads that somebody else has. */
    public void play(Sharing sharing) {
        if (table == null) {
            table = table(0);
            words = NONE;
        }
        playFrom(0, sharing);
    }

    /** Makes the calls after the first so many, while there may come more of them. */
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
            Took took = stretches.took(stretch);
            sharing.share(this, stretch, tasks, took.expect());
            took.complete();
            at = stretches.start(stretch, tasks);
        }
        play(at, count);
    }

    /** Makes the calls of some tasks of a stretch, for who was asked to share them. */
    public void play(int stretch, int firstTask, int endTask) {
        Took took = stretches.took(stretch);
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
