package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.LastingMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.plan.Plan;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The memory on the host that the outputs of one run are computed in, and that becomes the caller's. */
final class OutputMemory {
    private final Plan plan;
    /** The memory and the shapes of the slots of the run. */
    private final @Nullable MemorySegment[] segments;

    private final @Nullable Shape[] shapes;
    private final @Nullable MemorySegment[] memory;
    private final Binding.@Nullable AsOutput[] places;
    /** The donated inputs whose memory outputs are computed in. */
    private final @Nullable Tensor[] donated;

    /**
     * @param segments the memory of the slots of the run, as it goes on
     * @param shapes their shapes
     */
    OutputMemory(Plan plan, @Nullable MemorySegment[] segments, @Nullable Shape[] shapes) {
        this.plan = plan;
        this.segments = segments;
        this.shapes = shapes;
        memory = new MemorySegment[plan.outputs().size()];
        places = new Binding.AsOutput[memory.length];
        donated = new Tensor[memory.length];
    }

    /** Takes memory for a result: that of a donated input, that of results that callers have closed, or fresh memory. */
    MemorySegment claim(Binding.AsOutput place, @Nullable InputSource inputs) {
        Tensor donor = place.donor() < 0 ? null : donated(place.donor(), inputs);
        if (donor != null) {
            donated[place.output()] = donor;
            return Objects.requireNonNull(segments[place.donor()]);
        }
        MemorySegment claimed = place.pool().take();
        if (claimed == null) {
            claimed = HostBlocks.allocate(place.bytes(), purpose(place));
        }
        memory[place.output()] = claimed;
        places[place.output()] = place;
        return claimed;
    }

    /** Returns the caller's tensor if it is donated and its memory can be written and lasts as long as it is reachable. */
    private @Nullable Tensor donated(int slot, @Nullable InputSource inputs) {
        Tensor donor =
                inputs == null ? null : inputs.donated(plan.slots().get(slot).name());
        MemorySegment segment = segments[slot];
        boolean suits = donor != null
                && donor.remoteContent() == null
                && segment != null
                && segment.isNative()
                && !segment.isReadOnly()
                && LastingMemory.holds(segment);
        return suits ? donor : null;
    }

    private String purpose(Binding.AsOutput place) {
        int slot = plan.outputs().get(place.output());
        return "output '" + plan.outputNames().get(place.output()) + "' of shape " + shapes[slot];
    }

    /** Passes a result on to the caller; null where it is in memory that stays the engine's. */
    @Nullable
    Tensor detach(int output, @Nullable ElementType type, @Nullable Shape shape) {
        Tensor donor = donated[output];
        if (donor != null) {
            return donor;
        }
        MemorySegment detached = memory[output];
        Binding.AsOutput place = places[output];
        if (detached == null || place == null || type == null || shape == null) {
            return null;
        }
        memory[output] = null;
        return Tensor.recycling(type, shape, detached, () -> place.pool().give(detached));
    }

    /** Ends the run: memory that was not passed on is used again. */
    void reset() {
        for (int i = 0; i < memory.length; i++) {
            Binding.AsOutput place = places[i];
            MemorySegment unused = memory[i];
            if (place != null && unused != null) {
                place.pool().give(unused);
            }
            memory[i] = null;
            places[i] = null;
            donated[i] = null;
        }
    }
}
