package dev.millrace.providers.simd.program;

import dev.millrace.codegen.code.Recording;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The replay of steps of a frame: the kernel calls that they made in an earlier run are made again, many steps at a
 * time, as a command buffer does. A step first runs as it is. When it runs again on the same memory its calls are
 * recorded, and from then on only these are made. A rehearsal records them before any run.
 */
final class Replay {
    /** The most recorded bytes of a step per thread; more take longer to fetch than the code that they save. */
    private static final long BYTES_OF_STEP = 64 << 10;
    /** The most threads that count towards the limit of recorded bytes per step. */
    private static final int MOST_WIDTH = 4;
    /** The operations after which a run has to check for cancellation. */
    private static final long WORK = 1L << 28;

    /** Runs steps as they are, without replay. */
    @FunctionalInterface
    interface Live {
        void run(int step);

        /** Prepares a step as its first run on its memory does, for that run and all later ones. */
        default void prepare(int step) {
            // not all have anything to do
        }
    }

    private final List<ProgramStep> steps;
    private final long bytesOfStep;
    private final Supplier<@Nullable Recording> recordings;
    private final Live live;
    /** The steps that may be recorded. */
    private final boolean[] repeats;
    /** The steps that have run on the memory that they have now. */
    private final boolean[] known;
    /** The recordings, each at the index of the first step that it stands for. */
    private final @Nullable Recording[] recorded;
    /** The end of the steps that a recording stands for, at the same index. */
    private final int[] ends;

    /**
     * @param width the number of threads that share the tasks of steps
     * @param recordings creates empty recordings, or returns null where calls cannot be replayed
     */
    Replay(List<ProgramStep> steps, int width, Supplier<@Nullable Recording> recordings, Live live) {
        this.steps = steps;
        bytesOfStep = BYTES_OF_STEP * Math.min(width, MOST_WIDTH);
        this.recordings = recordings;
        this.live = live;
        repeats = new boolean[steps.size()];
        for (int i = 0; i < repeats.length; i++) {
            repeats[i] = steps.get(i).repeats() && steps.get(i).work() <= WORK;
        }
        known = new boolean[repeats.length];
        recorded = new Recording[repeats.length];
        ends = new int[repeats.length];
    }

    /**
     * Runs a step, together with those after it that are in the same recording.
     *
     * @param sharing runs recorded tasks on several threads
     * @return the step to continue with
     */
    int run(int step, Recording.Sharing sharing) {
        Recording recording = recorded[step];
        if (recording != null) {
            recording.play(sharing);
            return ends[step];
        }
        if (repeats[step] && known[step]) {
            recording = recordings.get();
            int next = recording == null ? step : record(step, recording, sharing);
            if (next > step) {
                return next;
            }
            repeats[step] = false;
        }
        live.run(step);
        known[step] = true;
        return step + 1;
    }

    /**
     * Records the calls of steps that never ran, and lets others practise.
     *
     * @param placed tells whether a step has the memory already that it has in runs
     */
    void prewarm(IntPredicate placed) {
        for (int step = 0; step < repeats.length; step++) {
            known[step] |= placed.test(step);
        }
        Recording recording = recordings.get();
        for (int step = 0; step < repeats.length && recording != null; ) {
            int now = step;
            if (repeats[now] && known[now] && recorded[now] == null) {
                step = Math.max(now + 1, record(now, recording, null));
                recording = recordings.get();
                continue;
            }
            if (known[now] && steps.get(now).practises()) {
                live.prepare(now);
                Recording.practise(() -> live.run(now));
            }
            step++;
        }
    }

    /**
     * Records the calls of a step and of those after it, as far as that pays.
     *
     * @param sharing makes the calls of each step before the next one is recorded, since that may derive its arguments
     *     from data that the calls write; null where there is no run
     * @return the first step whose calls were not recorded
     */
    private int record(int first, Recording recording, Recording.@Nullable Sharing sharing) {
        long work = 0;
        int step = first;
        while (step < repeats.length
                && repeats[step]
                && known[step]
                && recorded[step] == null
                && work + steps.get(step).work() <= WORK) {
            work += steps.get(step).work();
            int calls = recording.count();
            long bytes = recording.bytes();
            int now = step;
            live.prepare(now);
            recording.prewarm(() -> live.run(now));
            if (recording.bytes() - bytes > bytesOfStep) {
                repeats[now] = false;
                recording.cutTo(calls);
                break;
            }
            if (sharing != null) {
                recording.playAfter(calls, sharing);
            }
            step++;
        }
        if (step > first) {
            recorded[first] = recording;
            ends[first] = step;
        }
        return step;
    }

    /** Drops the recording of a step whose memory changes. */
    void forget(int step) {
        repeats[step] &= !known[step];
        known[step] = false;
        for (int first = step; first >= 0; first--) {
            if (recorded[first] != null) {
                if (ends[first] > step) {
                    recorded[first] = null;
                }
                return;
            }
        }
    }
}
