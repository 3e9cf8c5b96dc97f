package dev.millrace.scheduler.bind;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.bind.StreamClocks.StepTime;
import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Facts about the slots of a plan, for a binding that is being made. */
final class SlotTable {
    private final Entry[] entries;

    SlotTable(Plan plan, LiveValues live) {
        entries = new Entry[plan.slots().size()];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = new Entry(
                    i, live.type(i), live.shape(i), plan.slots().get(i).constant());
        }
    }

    Entry get(int slot) {
        return entries[slot];
    }

    /** One slot: what it holds, and where that lies. */
    static final class Entry {
        final int slot;

        @Nullable
        ElementType type;

        @Nullable
        Shape shape;

        /** The content, where it is the same in every run of the binding. */
        @Nullable
        Tensor known;

        /** Whether a step of the stretch makes it. */
        boolean isMade;

        /** Whether it was made while binding, so that no step of the stretch runs for it. */
        boolean isFolded;

        /** The slot whose memory it shares; itself where it has memory of its own. */
        int root;

        /** Its memory in the block; null where it has none there. */
        @Nullable
        Buffer buffer;

        /** The step that makes it, where the plan has several streams. */
        @Nullable
        StepTime maker;

        /** The input of the plan in whose memory it may be computed, where it is an output of the plan. */
        int donor = PlanStep.NONE;

        private Entry(int slot, @Nullable ElementType type, @Nullable Shape shape, @Nullable Tensor constant) {
            this.slot = slot;
            this.type = type;
            this.shape = shape;
            this.known = constant;
            this.root = slot;
        }

        boolean isTensor() {
            return type != null && shape != null;
        }

        /** Sets what a step of the stretch makes of it. */
        void make(ElementType madeType, Shape madeShape) {
            isMade = true;
            type = madeType;
            shape = madeShape;
        }

        ElementType requireType() {
            return Objects.requireNonNull(type);
        }

        Shape requireShape() {
            return Objects.requireNonNull(shape);
        }

        long bytes() {
            return requireType().bytes(requireShape().elements());
        }
    }
}
