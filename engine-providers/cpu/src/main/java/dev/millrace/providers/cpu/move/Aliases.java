package dev.millrace.providers.cpu.move;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;
import java.util.Objects;

/** Operators whose output is their input with another shape, or depends on shapes alone. */
public final class Aliases {
    private Aliases() {}

    /** Binds Reshape, Squeeze, Unsqueeze or Flatten: the output is an alias of the input. */
    public static Launch alias(BindContext context) {
        context.alias(0, 0);
        return Launch.none();
    }

    static Kernel identity(Node node) {
        ValueType type = node.requireInput(0).type();
        if (type == null || type instanceof ValueType.TensorType) {
            return (ShapedKernel) Aliases::alias;
        }
        return (DynamicKernel) context -> {
            Datum value = Objects.requireNonNull(context.input(0));
            context.output(0, value);
        };
    }

    /** Binds BitCast: copies the bits to another element type of the same width. */
    static Launch bitCast(BindContext context) {
        return launch -> launch.output(0).copyFrom(launch.input(0));
    }

    static ShapedKernel shape(Node node) {
        long start = node.attributes().integer("start", 0);
        long end = node.attributes().integer("end", Long.MAX_VALUE);
        return context -> {
            Shape shape = context.inputShape(0);
            int from = clamp(start, shape.rank());
            int to = Math.max(from, clamp(end, shape.rank()));
            long[] dims = Arrays.copyOfRange(shape.toArray(), from, to);
            context.fold(0, Tensor.copyOf(dims, dims.length));
            return Launch.none();
        };
    }

    private static int clamp(long axis, int rank) {
        return (int) Math.clamp(axis < 0 ? axis + rank : axis, 0, rank);
    }

    static Launch size(BindContext context) {
        context.fold(0, Tensor.copyOf(new long[] {context.inputShape(0).elements()}));
        return Launch.none();
    }

    /** Returns a tensor filled with one value, made when the kernel is bound. */
    static Tensor filled(ElementType type, Shape shape, Tensor value) {
        Tensor filled = Tensor.allocate(type, shape);
        var cells = new Cells();
        var memory = Cells.areConverted(type) ? Cells.allocate(type, shape.elements()) : filled.segment();
        CellLoops.fill(Cells.size(type), cells.of(value), 0, memory, 0, shape.elements());
        if (Cells.areConverted(type)) {
            cells.store(memory, filled);
        }
        return filled;
    }
}
