package dev.millrace.session;

import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A callback that says where each initializer of a compiled model is stored. */
@FunctionalInterface
public interface InitializerPlacement {
    /**
     * Returns the place of an initializer outside of the compiled model: a place to which this very call has written
     * its bytes, or the place in the source's external data.
     *
     * @param original the initializer's place in the source's external data, or null if it is
     *     not stored there unchanged
     * @return the place, relative to the compiled model's folder, or null to keep the initializer inside
     * @throws IOException if the bytes cannot be written, which ends the compilation
     */
    @Nullable
    DataPlace place(String name, Tensor tensor, @Nullable DataPlace original) throws IOException;
}
