package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.LaunchContext;

/**
 * How far the caches of a GroupQueryAttention are filled.
 *
 * @param pastRoom steps that the past has room for
 * @param now steps of this call
 * @param present steps that the cache has room for afterwards
 * @param prompt whether this call is the first, so that nothing is past
 */
record CacheSteps(int pastRoom, int now, int present, boolean prompt, ElementType type) {
    /** The input that has, for each entry of the batch, the place of its last step. */
    private static final int LAST = 5;

    private static final int PAST = 3;

    static CacheSteps of(BindContext context, int now, int total) {
        int pastRoom = context.hasInput(PAST)
                ? ArrayExtents.toInt(
                        "steps of the past", context.inputShape(PAST).dim(2))
                : 0;
        return new CacheSteps(pastRoom, now, Math.max(pastRoom, total), now == total, context.inputType(LAST));
    }

    /** Steps of an entry of the batch with those of this call. */
    int total(LaunchContext launch, long b) {
        return (int) Math.clamp(Elements.getLong(type, launch.input(LAST), b) + 1, 0, present);
    }

    /** Steps of an entry of the batch before this call. */
    int past(LaunchContext launch, long b) {
        return prompt ? 0 : Math.clamp(total(launch, b) - now, 0, pastRoom);
    }
}
