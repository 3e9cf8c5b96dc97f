package dev.millrace.providers.testkit.device;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import java.util.ArrayList;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The binding of a wrapped kernel, which sees what memory the launch will use. */
final class ObservedBinding implements BindContext {
    private final BindContext context;
    private final Set<Integer> withoutMemory = new TreeSet<>();
    private boolean hasWorkspace;

    ObservedBinding(BindContext context) {
        this.context = context;
    }

    /**
     * Returns the arguments of the launch: inputs that are there, and outputs that are neither aliases nor folded. Values
     * without elements have no memory.
     */
    LaunchArguments arguments(Set<Integer> onHost) {
        var device = new ArrayList<Integer>();
        var host = new ArrayList<Integer>();
        var outputs = new ArrayList<Integer>();
        for (int i = 0; i < context.inputCount(); i++) {
            if (context.hasInput(i) && context.inputShape(i).elements() > 0) {
                (onHost.contains(i) ? host : device).add(i);
            }
        }
        for (int i = 0; i < context.outputCount(); i++) {
            if (context.hasOutput(i)
                    && !withoutMemory.contains(i)
                    && context.outputShape(i).elements() > 0) {
                outputs.add(i);
            }
        }
        return new LaunchArguments(device, host, outputs, hasWorkspace);
    }

    @Override
    public Node node() {
        return context.node();
    }

    @Override
    public int inputCount() {
        return context.inputCount();
    }

    @Override
    public boolean hasInput(int index) {
        return context.hasInput(index);
    }

    @Override
    public ElementType inputType(int index) {
        return context.inputType(index);
    }

    @Override
    public Shape inputShape(int index) {
        return context.inputShape(index);
    }

    @Override
    public @Nullable Tensor constantInput(int index) {
        return context.constantInput(index);
    }

    @Override
    public Tensor requireValue(int index) {
        return context.requireValue(index);
    }

    @Override
    public int outputCount() {
        return context.outputCount();
    }

    @Override
    public boolean hasOutput(int index) {
        return context.hasOutput(index);
    }

    @Override
    public ElementType outputType(int index) {
        return context.outputType(index);
    }

    @Override
    public Shape outputShape(int index) {
        return context.outputShape(index);
    }

    @Override
    public void alias(int output, int input) {
        withoutMemory.add(output);
        context.alias(output, input);
    }

    @Override
    public void mayReuse(int output, int input) {
        context.mayReuse(output, input);
    }

    @Override
    public void fold(int output, Tensor value) {
        withoutMemory.add(output);
        context.fold(output, value);
    }

    @Override
    public void workspace(long bytes) {
        hasWorkspace |= bytes > 0;
        context.workspace(bytes);
    }

    @Override
    public int parallelism() {
        return 1;
    }

    @Override
    public void checkCancelled() {
        context.checkCancelled();
    }
}
