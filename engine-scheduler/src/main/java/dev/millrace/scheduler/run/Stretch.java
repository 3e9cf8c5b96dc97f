package dev.millrace.scheduler.run;

import dev.millrace.scheduler.bind.Binding;
import dev.millrace.scheduler.plan.SlotPool;
import org.jspecify.annotations.Nullable;

/** A bound stretch, with what its runs keep for later ones. */
final class Stretch {
    final Binding binding;
    /** The steps that are done in parts, by their numbers in the stretch; null for others. */
    final @Nullable StepParts[] parts;

    private final SlotPool<StretchState> states = new SlotPool<>(256, StretchState::close);
    volatile long lastUsed;

    Stretch(Binding binding, @Nullable StepParts[] parts) {
        this.binding = binding;
        this.parts = parts;
    }

    /** Takes the memory of a run. */
    StretchState takeState(Frame frame) {
        StretchState state = states.take();
        return state == null ? new StretchState(this, frame) : state;
    }

    /** Keeps nothing from now on: runs under way keep theirs until they end. */
    void retire() {
        states.retire();
    }

    void give(StretchState state) {
        states.give(state);
    }

    /** The bytes of its states that no run uses right now. */
    long idleBytes() {
        return binding.runBytes * states.count();
    }

    /** Releases the memory that no run has needed since the last call. */
    void trim() {
        states.trim(state -> {});
        binding.trim();
        for (StepParts part : parts) {
            if (part != null) {
                part.runner().trim();
            }
        }
    }
}
