package dev.millrace.providers.cpu.image;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A resampling along one axis after the other, with intermediate results in the workspace. */
final class ResizePasses implements Launch {
    private static final long GRAIN_CELLS = 1 << 13;
    /** Stands for an input or output in place of an offset into the workspace. */
    private static final long TENSOR = -1;

    private final Pass[] passes;
    private final ElementType type;
    private final Shape out;
    private final @Nullable AxisResampling[] plan;
    private final double extrapolation;

    ResizePasses(BindContext context, @Nullable AxisResampling[] plan, double extrapolation) {
        this.type = context.outputType(0);
        this.out = context.outputShape(0);
        this.plan = plan;
        this.extrapolation = extrapolation;
        List<Integer> axes = ResizeKernel.changed(plan);
        ElementType between = type == ElementType.DOUBLE ? ElementType.DOUBLE : ElementType.FLOAT;
        this.passes = new Pass[axes.size()];
        Shape shape = context.inputShape(0);
        long bytes = 0;
        long from = TENSOR;
        for (int i = 0; i < passes.length; i++) {
            int axis = axes.get(i);
            Shape next = shape.with(axis, out.dim(axis));
            boolean last = i == passes.length - 1;
            long to = last ? TENSOR : bytes;
            passes[i] = new Pass(
                    Objects.requireNonNull(plan[axis]),
                    shape.elements(0, axis),
                    shape.dim(axis),
                    next.dim(axis),
                    shape.elements(axis + 1, shape.rank()),
                    from,
                    i == 0 ? type : between,
                    to,
                    last ? type : between);
            if (!last) {
                bytes += Math.ceilDiv(between.bytes(next.elements()), 64L) * 64;
            }
            from = to;
            shape = next;
        }
        context.workspace(bytes);
    }

    @Override
    public void run(LaunchContext context) {
        for (Pass pass : passes) {
            context.parallelFor(pass.items(), pass.grain(), pass);
        }
        for (int axis = 0; axis < plan.length; axis++) {
            AxisResampling step = plan[axis];
            if (step != null && step.hasOutside()) {
                extrapolate(context.output(0), axis, step.outside());
            }
        }
    }

    private void extrapolate(MemorySegment target, int axis, boolean[] outside) {
        long inner = out.elements(axis + 1, out.rank());
        for (long outer = 0; outer < out.elements(0, axis); outer++) {
            for (int i = 0; i < outside.length; i++) {
                for (long k = 0; outside[i] && k < inner; k++) {
                    Elements.setDouble(type, target, (outer * outside.length + i) * inner + k, extrapolation);
                }
            }
        }
    }

    /**
     * A pass along one axis. An item is a row of {@code inner} cells or, where {@code inner} is one, a whole line along
     * the axis.
     */
    private record Pass(
            AxisResampling axis,
            long outer,
            long in,
            long out,
            long inner,
            long from,
            ElementType fromType,
            long to,
            ElementType toType)
            implements RangeTask {

        long items() {
            return inner == 1 ? outer : outer * out;
        }

        long grain() {
            return Math.max(1, GRAIN_CELLS / Math.max(1, (inner == 1 ? out : inner) * axis.taps()));
        }

        @Override
        public void run(LaunchContext context, long first, long end, Scratch scratch) {
            MemorySegment source =
                    from == TENSOR ? context.input(0) : context.workspace().asSlice(from);
            MemorySegment target =
                    to == TENSOR ? context.output(0) : context.workspace().asSlice(to);
            for (long item = first; item < end; item++) {
                if (inner == 1) {
                    line(context, source, target, item, scratch);
                } else {
                    row(source, target, item, scratch);
                }
            }
        }

        private void line(
                LaunchContext context, MemorySegment source, MemorySegment target, long line, Scratch scratch) {
            double[] x = scratch.doubles(0, (int) in);
            double[] y = scratch.doubles(1, (int) out);
            Elements.read(fromType, source, line * in, x, 0, (int) in);
            int taps = axis.taps();
            int[] sources = axis.sources();
            double[] weights = axis.weights();
            for (int i = 0, k = 0; i < out; i++) {
                context.checkCancelled(i);
                double sum = 0;
                for (int end = k + taps; k < end; k++) {
                    if (weights[k] != 0) {
                        sum += weights[k] * x[sources[k]];
                    }
                }
                y[i] = sum;
            }
            Elements.write(toType, target, line * out, y, 0, (int) out);
        }

        private void row(MemorySegment source, MemorySegment target, long item, Scratch scratch) {
            int cells = (int) inner;
            double[] x = scratch.doubles(0, cells);
            double[] y = scratch.doubles(1, cells);
            Arrays.fill(y, 0, cells, 0);
            int at = (int) (item % out) * axis.taps();
            for (int k = at; k < at + axis.taps(); k++) {
                double weight = axis.weights()[k];
                if (weight != 0) {
                    Elements.read(fromType, source, (item / out * in + axis.sources()[k]) * inner, x, 0, cells);
                    for (int i = 0; i < cells; i++) {
                        y[i] += weight * x[i];
                    }
                }
            }
            Elements.write(toType, target, item * inner, y, 0, cells);
        }
    }
}
