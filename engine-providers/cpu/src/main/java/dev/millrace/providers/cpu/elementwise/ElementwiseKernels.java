package dev.millrace.providers.cpu.elementwise;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that compute each element by itself. */
public final class ElementwiseKernels {
    private ElementwiseKernels() {}

    /** The kernel for this node, whatever its domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        String name = node.op().name();
        return switch (name) {
            case OpName.CAST, OpName.CAST_LIKE -> new CastKernel(node);
            case OpName.CLIP -> new ClipKernel(node);
            case OpName.WHERE -> new WhereKernel();
            case "IsNaN" -> new UnaryKernel(Unary.of(x -> Double.isNaN(x) ? 1 : 0));
            case "IsInf" -> new UnaryKernel(isInfinite(node.attributes()));
            case OpName.EQUAL -> equal(node);
            default -> {
                if (BinaryOps.has(name)) {
                    yield new BinaryKernel(node);
                }
                Unary unary = UnaryOps.find(name, node.attributes());
                yield unary == null ? null : new UnaryKernel(unary);
            }
        };
    }

    private static Unary isInfinite(Attributes attributes) {
        boolean positive = attributes.flag("detect_positive", true);
        boolean negative = attributes.flag("detect_negative", true);
        return Unary.of(x -> Double.isInfinite(x) && (x > 0 ? positive : negative) ? 1 : 0);
    }

    private static ShapedKernel equal(Node node) {
        var numbers = new BinaryKernel(node);
        return context -> context.inputType(0) == ElementType.STRING ? equalStrings(context) : numbers.bind(context);
    }

    private static Launch equalStrings(BindContext context) {
        Shape shape = context.outputShape(0);
        var first = Broadcast.of(ElementType.STRING, context.inputShape(0), shape);
        var second = Broadcast.of(ElementType.STRING, context.inputShape(1), shape);
        long count = shape.elements();
        return launch -> {
            for (long i = 0; i < count; i++) {
                launch.checkCancelled(i);
                String a = launch.inputStrings(0)[(int) first.offset(i)];
                String b = launch.inputStrings(1)[(int) second.offset(i)];
                launch.output(0).set(ValueLayout.JAVA_BYTE, i, (byte) (a.equals(b) ? 1 : 0));
            }
        };
    }
}
