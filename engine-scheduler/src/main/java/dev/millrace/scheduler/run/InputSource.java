package dev.millrace.scheduler.run;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** The source of a run's inputs, and what their caller says about its outputs. */
@FunctionalInterface
public interface InputSource {
    /** Returns the input of this name, or null for its default. */
    @Nullable
    Datum input(String name);

    /**
     * Returns the input of this name if the run may compute an output in its memory, else null. The output is then
     * this tensor. Only kernels that say so ({@code BindContext.mayReuse}) compute in place.
     */
    default @Nullable Tensor donated(String name) {
        return null;
    }

    /** Whether an output that a device computes is left there; the caller gets a tensor that is copied where it is read. */
    default boolean staysOnDevice(String output) {
        return false;
    }
}
