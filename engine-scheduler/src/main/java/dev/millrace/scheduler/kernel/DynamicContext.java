package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The context of one run of a {@link DynamicKernel}. Inputs are valid until it returns; a kernel copies data that it
 * keeps.
 */
public interface DynamicContext {
    Node node();

    int inputCount();

    /** Input {@code index}, or null where it is omitted. */
    @Nullable
    Datum input(int index);

    /** Input {@code index} as a tensor; throws where it is omitted or something else. */
    Tensor tensor(int index);

    int outputCount();

    boolean hasOutput(int index);

    /**
     * Sets an output; omitted ones are ignored. An input or an element of one may be passed on uncopied: data that is
     * kept beyond the run is copied later.
     */
    void output(int index, Datum value);

    /**
     * Allocates memory for an output. Its content is undefined, so the kernel writes all of it. It may be reused by
     * another run once this one has ended. It cannot hold strings.
     */
    default Tensor allocate(ElementType type, Shape shape) {
        return Tensor.allocate(type, shape);
    }

    /**
     * Runs the nested graph {@code attribute} with these inputs and returns its outputs; values of enclosing graphs are
     * passed automatically. Closing a returned tensor that is no longer needed returns its memory to the next run.
     * Tensors that share memory are closed together; elements of sequences stay open.
     */
    List<Datum> runNested(String attribute, List<Datum> inputs);

    void checkCancelled();

    /** Calls {@link #checkCancelled()} once in 4096 steps, for loops of short steps. */
    default void checkCancelled(long step) {
        if ((step & 0xfff) == 0) {
            checkCancelled();
        }
    }
}
