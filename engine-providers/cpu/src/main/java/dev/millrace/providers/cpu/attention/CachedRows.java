package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Rows of this call, turned by their positions, behind as many of a cache as an entry of the batch has filled; zeros
 * behind them.
 *
 * @param cacheInput the cache; -1 for rows of this call only
 */
record CachedRows(
        int input,
        HeadLayout now,
        int cacheInput,
        CacheSteps cache,
        @Nullable RotaryRows rotation,
        ElementType type) implements HeadSource {

    static CachedRows of(
            BindContext context,
            int input,
            HeadLayout now,
            int cacheInput,
            CacheSteps cache,
            @Nullable RotaryRows rotation) {
        return new CachedRows(input, now, cacheInput, cache, rotation, context.inputType(input));
    }

    @Override
    public int steps() {
        return cacheInput < 0 ? now.steps() : cache.present();
    }

    @Override
    public void readRow(LaunchContext launch, long b, long head, int step, float[] to, int at) {
        int past = cache.past(launch, b);
        int before = cacheInput < 0 ? 0 : past;
        if (step < before) {
            long first = ((b * heads() + head) * cache.pastRoom() + step) * size();
            Elements.read(type, launch.input(cacheInput), first, to, at, size());
        } else if (step - before < now.steps()) {
            int own = step - before;
            Elements.read(type, launch.input(input), now.row(b, head, own), to, at, size());
            if (rotation != null) {
                rotation.turn(launch, b * now.steps() + own, past + own, to, at);
            }
        } else {
            Arrays.fill(to, at, at + size(), 0f);
        }
    }
}
