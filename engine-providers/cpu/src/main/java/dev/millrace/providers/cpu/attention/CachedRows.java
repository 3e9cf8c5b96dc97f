package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows of this call, turned by their positions, behind as many of a cache as an entry of the batch has filled; zeros
 * behind them.
 *
 * @param format the format of the cache; null for rows of this call only
 */
record CachedRows(
        int input,
        HeadLayout now,
        CacheSteps cache,
        @Nullable CacheFormat format,
        @Nullable RotaryRows rotation,
        ElementType type)
        implements HeadSource {

    @Override
    public int steps() {
        return format == null ? now.steps() : cache.present();
    }

    @Override
    public void readRow(LaunchContext launch, long b, long head, int step, float[] to, int at) {
        int past = cache.past(launch, b);
        int before = format == null ? 0 : past;
        if (format != null && step < before) {
            format.read(launch, launch.input(format.input()), head, pastRow(b, head, step), to, at);
        } else if (step - before < now.steps()) {
            int own = step - before;
            Elements.read(type, launch.input(input), now.row(b, head, own), to, at, size());
            if (rotation != null) {
                rotation.turn(launch, b * now.steps() + own, past + own, to, at);
            }
            if (format != null) {
                format.round(launch, head, to, at);
            }
        } else {
            Arrays.fill(to, at, at + size(), 0f);
        }
    }

    private long pastRow(long b, long head, int step) {
        return (b * heads() + head) * cache.pastRoom() + step;
    }

    /** Writes the cache with the rows of this call. */
    void writeCache(LaunchContext launch, CacheFormat as, int output) {
        MemorySegment to = launch.output(output);
        float[] line = launch.scratch().floats(0, size());
        long row = 0;
        for (int b = 0; b < batch(); b++) {
            int past = cache.past(launch, b);
            for (int head = 0; head < heads(); head++) {
                for (int step = 0; step < steps(); step++, row++) {
                    if (step < past) {
                        as.copy(launch.input(as.input()), pastRow(b, head, step), to, row);
                    } else if (step < past + now.steps()) {
                        readRow(launch, b, head, step, line, 0);
                        as.write(launch, to, head, row, line, 0);
                    } else {
                        as.clear(to, row);
                    }
                }
            }
        }
    }
}
