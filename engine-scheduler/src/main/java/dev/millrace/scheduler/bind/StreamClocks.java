package dev.millrace.scheduler.bind;

import dev.millrace.scheduler.device.Device;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The order of the steps of a stretch over its streams. Each stream counts its steps; a step's count is its time there. A
 * vector clock says for each step which time of each stream is known to be over when the step starts, so that a step
 * waits only for what is not known to be over: the fewest waits that are correct.
 */
final class StreamClocks {
    private final List<Device> devices;
    /** The last step of each stream so far; null for a stream without steps. */
    private final StepTime[] last;

    StreamClocks(List<Device> devices) {
        this.devices = devices;
        last = new StepTime[devices.size()];
        for (int i = 0; i < last.length; i++) {
            last[i] = new StepTime(i, 0, new int[last.length], new int[last.length], List.of());
        }
    }

    /**
     * A point that a step waits for.
     *
     * @param onHost whether the thread that submits the step waits, since the step is read or done by the host; otherwise
     *     the device does
     */
    record Wait(StepTime step, boolean onHost) {}

    /** One step on its stream. */
    static final class StepTime {
        final int stream;
        /** The number of the step on its stream, from 1 on. */
        final int time;

        final List<Wait> waits;
        /** The time of each stream that is over when the step starts. */
        private final int[] done;
        /** The time of each stream that the submitting thread knows to be over when it submits the step. */
        private final int[] seen;

        private StepTime(int stream, int time, int[] done, int[] seen, List<Wait> waits) {
            this.stream = stream;
            this.time = time;
            this.done = done;
            this.seen = seen;
            this.waits = waits;
        }

        /** Whether this step is over when another one starts. */
        boolean isBefore(StepTime other) {
            return other.stream == stream ? other.time > time : other.done[stream] >= time;
        }
    }

    /**
     * Adds the next step of a stream.
     *
     * @param reads the steps whose results it reads
     * @param hostReads those of them whose results are read by the thread that submits it
     */
    StepTime add(int stream, Collection<StepTime> reads, Collection<StepTime> hostReads) {
        StepTime before = last[stream];
        int[] done = before.done.clone();
        int[] seen = before.seen.clone();
        done[stream] = before.time;
        boolean onHost = !devices.get(stream).isAsynchronous();
        if (onHost) {
            seen[stream] = before.time;
        }
        var waits = new ArrayList<Wait>();
        for (StepTime read : needed(onHost ? reads : hostReads, seen)) {
            waits.add(new Wait(read, true));
            join(read, done, seen, true);
        }
        if (!onHost) {
            for (StepTime read : needed(reads, done)) {
                waits.add(new Wait(read, false));
                join(read, done, seen, !devices.get(read.stream).isAsynchronous());
            }
        }
        last[stream] = new StepTime(stream, before.time + 1, done, seen, waits);
        return last[stream];
    }

    /** The steps that are not known to be over, without those that are over when another one of them is. */
    private List<StepTime> needed(Collection<StepTime> steps, int[] known) {
        var open = new StepTime[devices.size()];
        for (StepTime step : steps) {
            if (known[step.stream] < step.time && (open[step.stream] == null || open[step.stream].time < step.time)) {
                open[step.stream] = step;
            }
        }
        var needed = new ArrayList<StepTime>();
        for (StepTime step : open) {
            if (step != null && !isCovered(step, open)) {
                needed.add(step);
            }
        }
        return needed;
    }

    private static boolean isCovered(StepTime step, StepTime[] others) {
        for (StepTime other : others) {
            if (other != null && other != step && step.isBefore(other)) {
                return true;
            }
        }
        return false;
    }

    /** Adds to two clocks what is known once a step is over. */
    private static void join(StepTime over, int[] done, int[] seen, boolean isSeen) {
        for (int i = 0; i < done.length; i++) {
            done[i] = Math.max(done[i], over.done[i]);
            seen[i] = Math.max(seen[i], isSeen ? over.done[i] : over.seen[i]);
        }
        done[over.stream] = Math.max(done[over.stream], over.time);
        if (isSeen) {
            seen[over.stream] = Math.max(seen[over.stream], over.time);
        }
    }
}
