package dev.millrace.scheduler.bind;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** The values of a run at the moment when a stretch is bound. */
public interface LiveValues {
    /** The element type of a slot; null where it holds no tensor, or nothing yet. */
    @Nullable
    ElementType type(int slot);

    /** The shape of a slot; null where it holds no tensor, or nothing yet. */
    @Nullable
    Shape shape(int slot);

    /** The content of a slot; null where it has none yet. */
    @Nullable
    Datum datum(int slot);

    /** Whether a slot has a content that lies on a device, where the host cannot read it. */
    boolean isOnDevice(int slot);

    /** Whether a slot has exactly this content; type and shape must agree already. */
    boolean holds(int slot, Tensor content);
}
