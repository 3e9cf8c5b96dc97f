package dev.millrace.scheduler.plan;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.MemoryPlace;
import org.jspecify.annotations.Nullable;

/**
 * One value in a plan's frames.
 *
 * @param type what was declared or inferred before any shape was known
 * @param constant its content, where it is the same in every run
 * @param lastUse the last step that reads it, {@link Integer#MAX_VALUE} for a plan's outputs, -1 where nothing does
 * @param place the memory that it lies in
 */
public record Slot(
        int index,
        String name,
        @Nullable ValueType type,
        @Nullable Tensor constant,
        int lastUse,
        MemoryPlace place) {
    static Slot of(int index, Value value, int lastUse) {
        return new Slot(index, value.name(), value.type(), value.constant(), lastUse, MemoryPlace.HOST);
    }
}
