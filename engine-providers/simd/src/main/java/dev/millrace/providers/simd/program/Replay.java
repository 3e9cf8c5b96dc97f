package dev.millrace.providers.simd.program;

import dev.millrace.codegen.code.Recording;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Which steps of a frame are done by making again the calls that they made in an earlier run, many steps at a time. A
 * step is run as it is first; when it comes again on the same memory its calls are written down, and from then on they are
 * all there is of it. A rehearsal writes them down before any run.
 */
final class Replay {
    /** More than this for a thread takes longer to fetch than the code that it saves. */
    private static final long BYTES_OF_STEP = 64 << 10;
    /** Of many threads, so many fetch what is their own. */
    private static final int MOST_WIDTH = 4;
    /** Operations after which it is time to look whether the run was cancelled. */
    private static final long WORK = 1L << 28;

    /** A step as it is run where nothing is made again. */
    @FunctionalInterface
    interface Live {
        void run(int step);

        /** Does what the first run of a step on its memory does before, for itself and all later ones. */
        default void prepare(int step) {
            // not all have anything to do
        }
    }

    private final List<Step> steps;
    private final long bytesOfStep;
    private final Supplier<@Nullable Recording> recordings;
    private final Live live;
    /** Steps that may be written down. */
    private final boolean[] repeats;
    /** Steps that were run on the memory that they have now. */
    private final boolean[] known;
    /** What is made again, at the first of the steps that it stands for. */
    private final @Nullable Recording[] recorded;
    /** Where the steps end that a recording stands for. */
    private final int[] ends;

    /**
     * @param width how many threads share the tasks of steps
     * @param recordings makes empty ones, or none where calls cannot be made again
     */
    Replay(List<Step> steps, int width, Supplier<@Nullable Recording> recordings, Live live) {
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
     * Does a step, and others after it where they go together.
     *
     * @param sharing has tasks done that were written down
     * @return the step to go on with
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
     * Writes down the calls of steps that were never run, and practises others.
     *
     * @param placed which steps have the memory already that runs will have
     */
    void rehearse(IntPredicate placed) {
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
     * Writes down the calls of a step and of those after it, as far as that is worth it.
     *
     * @param sharing makes the calls of each step before the next one is heard, since it may write its arguments where what
     *     it reads is not yet; null where there is no run
     * @return the first step whose calls were not written down
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
            recording.rehearse(() -> live.run(now));
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

    /** Says that the memory of a step is another one from now on. */
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
