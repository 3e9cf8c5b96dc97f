package dev.millrace.scheduler.kernel;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/**
 * What a kernel knows while it is bound to one tuple of input shapes. Input and output numbers are the node's; asking
 * for an omitted one throws, so ask {@link #hasInput} first where it is optional.
 */
public interface BindContext {
    Node node();

    /** Inputs that the node lists, omitted ones included. */
    int inputCount();

    boolean hasInput(int index);

    ElementType inputType(int index);

    Shape inputShape(int index);

    /** The content of an input where it is the same in every run of this binding: a constant, or made of shapes. */
    @Nullable
    Tensor constantInput(int index);

    /**
     * The content of an input that the binding needs. Where it is no constant the binding comes to depend on it and
     * is made again when it changes; meant for axes, pads, scales and the like, never for bulk data.
     */
    Tensor requireValue(int index);

    int outputCount();

    boolean hasOutput(int index);

    ElementType outputType(int index);

    Shape outputShape(int index);

    /** Says that an output is the memory of an input, unchanged. Where all outputs are aliases the kernel never runs. */
    void alias(int output, int input);

    /** Says that an output may be written over an input that nobody reads afterwards: element by element, same place. */
    void mayReuse(int output, int input);

    /** Says that an output is the same in every run of this binding. */
    void fold(int output, Tensor value);

    /** Asks for memory that is the launch's own while it runs, aligned to 64 bytes; see {@link LaunchContext#workspace}. */
    void workspace(long bytes);

    /** How many threads a launch can count on at most. */
    int parallelism();

    /** Ends the binding where the run that waits for it was cancelled; to be asked now and then by what takes long. */
    default void checkCancelled() {}
}
