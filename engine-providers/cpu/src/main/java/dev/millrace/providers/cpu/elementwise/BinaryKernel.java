package dev.millrace.providers.cpu.elementwise;

import static dev.millrace.providers.cpu.elementwise.UnaryKernel.BLOCK;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/**
 * Combines one, two or more inputs element by element, broadcast to the shape of the output: {@code f(f(a, b), c)} and
 * so on.
 */
record BinaryKernel(Node node, @Nullable Binary preset) implements ShapedKernel {

    BinaryKernel(Node node) {
        this(node, null);
    }

    @Override
    public Launch bind(BindContext context) {
        String name = node.op().name();
        ElementType from = context.inputType(0);
        ElementType to = context.outputType(0);
        Domain domain = domain(context, name);
        Unary power = name.equals(OpName.POW) ? fixedPower(context) : null;
        if (power != null) {
            return new UnaryKernel(power).bind(context);
        }
        Binary function = preset != null ? preset : BinaryOps.find(name, node.attributes(), from);
        if (function == null) {
            throw EngineException.notImplemented(node.describe());
        }
        Broadcast[] inputs = operands(context);
        for (int i = 0; i < inputs.length; i++) {
            if (inputs[i].isWhole() && context.inputType(i) == to) {
                context.mayReuse(0, i);
            }
        }
        double scale = name.equals("Mean") ? 1.0 / inputs.length : 1;
        long count = context.outputShape(0).elements();
        RangeTask task = switch (domain) {
            case FLOAT -> floats(function.requireFloats(), inputs, to, (float) scale);
            case DOUBLE -> doubles(OwnLoops.of(function.requireDoubles(), count), inputs, to, scale);
            case LONG -> longs(OwnLoops.of(function.requireLongs(), count), inputs, to);
        };
        long grain = UnaryKernel.grain(to);
        return launch -> launch.parallelFor(count, grain, task);
    }

    private static Domain domain(BindContext context, String name) {
        Domain first = Domain.of(context.inputType(0));
        return name.equals(OpName.POW)
                        && first == Domain.LONG
                        && context.inputType(1).isFloating()
                ? Domain.DOUBLE
                : first;
    }

    private static @Nullable Unary fixedPower(BindContext context) {
        Tensor exponent = context.constantInput(1);
        if (exponent == null
                || exponent.elements() != 1
                || !context.inputType(0).isFloating()
                || !context.inputShape(0).equals(context.outputShape(0))) {
            return null;
        }
        return BinaryOps.powerOf(Elements.getDouble(exponent.type(), exponent.segment(), 0));
    }

    private Broadcast[] operands(BindContext context) {
        Shape out = context.outputShape(0);
        Broadcast[] operands = new Broadcast[context.inputCount()];
        for (int i = 0; i < operands.length; i++) {
            Shape shape = i == 1 && node.opset() < 7 && preset == null
                    ? legacy(context.inputShape(0), context.inputShape(1))
                    : context.inputShape(i);
            operands[i] = Broadcast.of(context.inputType(i), shape, out);
        }
        return operands;
    }

    private Shape legacy(Shape first, Shape second) {
        if (node.is("PRelu")) {
            return second.rank() == 1 && second.dim(0) > 1 ? Broadcast.legacy(first, second, 1) : second;
        }
        return node.attributes().flag("broadcast", false)
                ? Broadcast.legacy(first, second, node.attributes().integer("axis", Long.MIN_VALUE))
                : second;
    }

    private static RangeTask floats(Binary.Floats f, Broadcast[] inputs, ElementType to, float scale) {
        return (launch, first, end, scratch) -> {
            float[] result = scratch.floats(0, BLOCK);
            float[] next = scratch.floats(1, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                inputs[0].read(launch.input(0), at, result, count);
                for (int i = 1; i < inputs.length; i++) {
                    inputs[i].read(launch.input(i), at, next, count);
                    f.apply(result, next, result, count);
                }
                for (int i = 0; i < count && scale != 1; i++) {
                    result[i] *= scale;
                }
                Elements.write(to, launch.output(0), at, result, 0, count);
            }
        };
    }

    private static RangeTask doubles(Binary.Doubles f, Broadcast[] inputs, ElementType to, double scale) {
        return (launch, first, end, scratch) -> {
            double[] result = scratch.doubles(0, BLOCK);
            double[] next = scratch.doubles(1, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                inputs[0].read(launch.input(0), at, result, count);
                for (int i = 1; i < inputs.length; i++) {
                    inputs[i].read(launch.input(i), at, next, count);
                    f.apply(result, next, result, count);
                }
                for (int i = 0; i < count && scale != 1; i++) {
                    result[i] *= scale;
                }
                Elements.write(to, launch.output(0), at, result, 0, count);
            }
        };
    }

    private static RangeTask longs(Binary.Longs f, Broadcast[] inputs, ElementType to) {
        return (launch, first, end, scratch) -> {
            long[] result = scratch.longs(0, BLOCK);
            long[] next = scratch.longs(1, BLOCK);
            for (long at = first; at < end; at += BLOCK) {
                int count = (int) Math.min(BLOCK, end - at);
                inputs[0].read(launch.input(0), at, result, count);
                for (int i = 1; i < inputs.length; i++) {
                    inputs[i].read(launch.input(i), at, next, count);
                    f.apply(result, next, result, count);
                }
                Elements.write(to, launch.output(0), at, result, 0, count);
            }
        };
    }
}
