package dev.millrace.session;

import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Says of each initializer that a compiled model still has where it is to be found. */
@FunctionalInterface
public interface InitializerPlacement {
    /**
     * Where an initializer lies outside of the compiled model: where this very call has written its bytes, or where they
     * lay all along.
     *
     * @param original where it lies in the source's external data, or null where it does not lie there as it is now
     * @return its place, relative to the compiled model's folder, or null to keep it inside
     * @throws IOException where its bytes cannot be written, which ends the compilation
     */
    @Nullable
    DataPlace place(String name, Tensor tensor, @Nullable DataPlace original) throws IOException;
}
