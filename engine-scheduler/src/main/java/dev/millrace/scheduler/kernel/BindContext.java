package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * The context of binding a kernel to one tuple of input shapes. Input and output numbers are the node's. Methods throw
 * for an omitted input or output, so check {@link #hasInput} first where it is optional.
 */
public interface BindContext {
    Node node();

    /** The number of inputs that the node lists, omitted ones included. */
    int inputCount();

    boolean hasInput(int index);

    ElementType inputType(int index);

    Shape inputShape(int index);

    /**
     * The content of an input where it is the same in every run of this binding: a constant, or computed from shapes;
     * else null.
     */
    @Nullable
    Tensor constantInput(int index);

    /**
     * Returns the content of an input that the binding needs. Where it is no constant, the binding depends on it from
     * then on and is made again when it changes. This is for axes, pads, scales and the like, never for bulk data.
     */
    Tensor requireValue(int index);

    int outputCount();

    boolean hasOutput(int index);

    ElementType outputType(int index);

    Shape outputShape(int index);

    /** Makes an output an alias of an input's unchanged memory. Where all outputs are aliases the kernel never runs. */
    void alias(int output, int input);

    /**
     * Allows writing an output in place, over an input that is not read afterwards: element by element, at the same
     * index.
     */
    void mayReuse(int output, int input);

    /** Folds an output: declares that it is {@code value} in every run of this binding. */
    void fold(int output, Tensor value);

    /** Requests memory for the launch alone while it runs, aligned to 64 bytes; see {@link LaunchContext#workspace}. */
    void workspace(long bytes);

    /** The largest number of threads that a launch can use. */
    int parallelism();

    /** Throws if the run that waits for the binding was cancelled; long work calls it now and then. */
    default void checkCancelled() {}
}
