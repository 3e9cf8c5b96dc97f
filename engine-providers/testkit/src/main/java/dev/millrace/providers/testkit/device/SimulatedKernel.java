package dev.millrace.providers.testkit.device;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.InferredKernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A kernel of simulated devices that computes what a kernel of the host computes. */
public final class SimulatedKernel implements ShapedKernel {
    private final ShapedKernel wrapped;
    private final Set<Integer> onHost;

    /**
     * Wraps a kernel.
     *
     * @param onHost the inputs that the kernel reads from the host's memory
     */
    public SimulatedKernel(ShapedKernel wrapped, Set<Integer> onHost) {
        this.wrapped = wrapped;
        this.onHost = Set.copyOf(onHost);
    }

    /** Wraps a kernel all of whose inputs lie on the device. */
    public SimulatedKernel(ShapedKernel wrapped) {
        this(wrapped, Set.of());
    }

    @Override
    public MemoryPlace inputPlace(Device device, int index) {
        return onHost.contains(index) ? MemoryPlace.HOST : device.place();
    }

    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        return wrapped.outputs(node, facts);
    }

    @Override
    public InferredKernel infer(Node node, Facts facts) {
        InferredKernel inferred = wrapped.infer(node, facts);
        return new InferredKernel(inferred.outputs(), context -> bind(inferred::bind, context));
    }

    @Override
    public @Nullable Parts parts(Node node, Facts facts) {
        return wrapped.parts(node, facts);
    }

    @Override
    public boolean isPure() {
        return wrapped.isPure();
    }

    @Override
    public Launch bind(BindContext context) {
        return bind(wrapped, context);
    }

    private Launch bind(ShapedKernel kernel, BindContext context) {
        checkNumeric(context);
        var binding = new ObservedBinding(context);
        Launch launch = kernel.bind(binding);
        return launch == Launch.none()
                ? launch
                : new SimulatedLaunch(launch, context.node().describe(), binding.arguments(onHost));
    }

    private static void checkNumeric(BindContext context) {
        for (int i = 0; i < context.inputCount(); i++) {
            if (context.hasInput(i) && context.inputType(i) == ElementType.STRING) {
                throw EngineException.notImplemented(context.node().describe() + ": a device has no strings");
            }
        }
    }
}
