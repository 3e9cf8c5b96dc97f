package dev.millrace.providers.cpu.control;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The kernels of If, Loop and Scan. */
public final class ControlKernels {
    private ControlKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.IF -> (DynamicKernel) ControlKernels::branch;
            case "Loop" -> (DynamicKernel) new Loop(node);
            case "Scan" -> (DynamicKernel) (node.opset() < 9 ? new BatchedScan(node) : new Scan(node));
            default -> null;
        };
    }

    private static void branch(DynamicContext context) {
        boolean condition = truth(context.node(), context.tensor(0));
        List<Datum> results = context.runNested(condition ? "then_branch" : "else_branch", List.of());
        for (int i = 0; i < context.outputCount(); i++) {
            context.output(i, results.get(i));
        }
    }

    static boolean truth(Node node, Datum datum) {
        if (datum instanceof OptionalDatum optional && optional.value() != null) {
            return truth(node, optional.value());
        }
        if (datum instanceof Tensor tensor && tensor.elements() == 1) {
            return tensor.booleans()[0];
        }
        throw EngineException.invalidArgument(node.describe() + ": a condition is one boolean, but here is " + datum);
    }

    static Tensor tensor(Node node, Datum datum) {
        if (datum instanceof Tensor tensor) {
            return tensor;
        }
        throw EngineException.invalidGraph(node.describe() + ": what is collected step by step has to be a tensor");
    }

    /** The outputs of a body from one on, which are collected in up to so many steps. */
    static List<Collected> collected(DynamicContext context, Graph body, int from, long most) {
        return body.outputs().stream()
                .skip(from)
                .map(output -> new Collected(context, output, most))
                .toList();
    }

    /** A value that stays when the results of the last step are closed. */
    static Datum lasting(DynamicContext context, Datum value) {
        if (!(value instanceof Tensor tensor)) {
            return value;
        }
        if (tensor.type() == ElementType.STRING) {
            return Tensor.copyOf(tensor);
        }
        Tensor copy = context.allocate(tensor.type(), tensor.shape());
        Tensor held = tensor.retain();
        copy.segment().copyFrom(held.segment());
        tensor.release();
        return copy;
    }

    /** Closes the results of a step that the next one has read; sequences share their elements with those that follow. */
    static void close(List<Datum> values) {
        for (Datum value : values) {
            if (value instanceof Tensor) {
                value.close();
            }
        }
    }
}
