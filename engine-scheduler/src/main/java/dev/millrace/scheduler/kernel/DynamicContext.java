package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One run of a {@link DynamicKernel}. Inputs are valid until it returns; what it keeps of them it copies. */
public interface DynamicContext {
    Node node();

    int inputCount();

    /** The input, or null where it is omitted. */
    @Nullable
    Datum input(int index);

    /** Input {@code index} as a tensor; throws where it is omitted or something else. */
    Tensor tensor(int index);

    int outputCount();

    boolean hasOutput(int index);

    /**
     * Sets an output; omitted ones are ignored. An input or an element of one may be handed on as it is: whoever keeps
     * data beyond the run copies it.
     */
    void output(int index, Datum value);

    /**
     * Memory for an output, all of which is written: what it holds before is garbage. It may serve another run once this
     * one has ended. There are no strings in it.
     */
    default Tensor allocate(ElementType type, Shape shape) {
        return Tensor.allocate(type, shape);
    }

    /**
     * What the nested graph {@code attribute} returns for these inputs; it sees the values around it by itself. A tensor
     * that is closed when nobody needs it any more lends its memory to the next run. Some may share theirs, and are closed
     * together; elements of sequences stay open.
     */
    List<Datum> runNested(String attribute, List<Datum> inputs);

    void checkCancelled();

    /** {@link #checkCancelled()} at one of many steps, for loops of short ones. */
    default void checkCancelled(long step) {
        if ((step & 0xfff) == 0) {
            checkCancelled();
        }
    }
}
