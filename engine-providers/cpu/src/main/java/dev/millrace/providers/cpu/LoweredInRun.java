package dev.millrace.providers.cpu;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.lower.Lowerings;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.PartsNeeded;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/** An operator in whose place others are written, once a run knows the shapes of its inputs. */
record LoweredInRun(KernelFactory kernels) implements ShapedKernel {
    @Override
    public Parts parts(Node node, Facts facts) {
        return new Parts(Lowerings.inRun(node, facts), Lowerings.outputsInRun(node), kernels);
    }

    @Override
    public Launch bind(BindContext context) {
        Node node = context.node();
        throw new PartsNeeded(node.describe() + " is made of other operators", parts(node, facts(context)));
    }

    private static Facts facts(BindContext context) {
        return new Facts() {
            @Override
            public @Nullable ValueType type(int input) {
                return context.hasInput(input)
                        ? ValueType.tensor(context.inputType(input), context.inputShape(input))
                        : null;
            }

            @Override
            public @Nullable Tensor value(int input) {
                return null;
            }
        };
    }

    @Override
    public boolean isPure() {
        return false; // it cannot be run without a plan
    }
}
