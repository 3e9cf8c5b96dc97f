package dev.millrace.scheduler.plan;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.device.Copy;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.MemoryPlace;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kernel of a step that copies a value from one place to another, on a stream of a device. */
public final class CopyKernel implements ShapedKernel {
    private final MemoryPlace from;
    private final MemoryPlace to;

    CopyKernel(MemoryPlace from, MemoryPlace to) {
        this.from = from;
        this.to = to;
    }

    public MemoryPlace from() {
        return from;
    }

    public MemoryPlace to() {
        return to;
    }

    @Override
    public MemoryPlace inputPlace(Device device, int index) {
        return from;
    }

    @Override
    public MemoryPlace outputPlace(Device device, int index) {
        return to;
    }

    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        var types = new ArrayList<@Nullable ValueType>(1);
        types.add(facts.type(0));
        return types;
    }

    /** Copies are not folded as other kernels are: a known content has to be on the device all the same. */
    @Override
    public boolean isPure() {
        return false;
    }

    @Override
    public Launch bind(BindContext context) {
        if (context.inputType(0) == ElementType.STRING) {
            throw EngineException.notImplemented(context.node().describe() + ": strings cannot lie on " + to);
        }
        Tensor known = context.constantInput(0);
        if (known != null && to.isHost()) {
            context.fold(0, known);
            return Launch.none();
        }
        return launch -> launch.stream().device().transfer().copy(List.of(copy(launch)), launch.stream());
    }

    /** The copy of a launch, which a stream of a device is given alone or together with others. */
    public Copy copy(LaunchContext context) {
        if (from.isHost()) {
            return new Copy.Upload(context.input(0), context.outputRange(0));
        }
        return to.isHost()
                ? new Copy.Download(context.inputRange(0), context.output(0))
                : new Copy.Transfer(context.inputRange(0), context.outputRange(0));
    }
}
