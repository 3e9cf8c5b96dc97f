package dev.millrace.providers.simd.rule.attention;

import dev.millrace.providers.simd.program.View;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operands of a GroupQueryAttention by batch, head, place and depth, as rows of 32-bit floats.
 *
 * @param keys the new ones, not yet rotated
 * @param bias by batch, head, query and key, added to the scores
 * @param sinks a score of each head that takes part in the softmax and belongs to no key
 */
record GroupQueryOperands(
        View queries,
        View keys,
        View values,
        @Nullable View bias,
        @Nullable View sinks) {
    List<View> views() {
        var views = new ArrayList<>(List.of(queries, keys, values));
        if (bias != null) {
            views.add(bias);
        }
        if (sinks != null) {
            views.add(sinks);
        }
        return views;
    }
}
