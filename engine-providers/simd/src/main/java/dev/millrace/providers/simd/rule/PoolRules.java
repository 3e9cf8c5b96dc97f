package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.pool.Pool;
import dev.millrace.kernels.pool.Pooling;
import dev.millrace.kernels.pool.WindowShape;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.Step;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Poolings of images in blocks of channels. */
final class PoolRules {
    private PoolRules() {}

    static @Nullable Rule named(String name) {
        return switch (name) {
            case "MaxPool" ->
                op -> !op.wants(1) && op.attributes().integer("storage_order", 0) == 0 && sliding(op, Pooling.max());
            case "AveragePool" -> PoolRules::average;
            case "GlobalAveragePool" -> op -> whole(op, Pooling.average());
            case "GlobalMaxPool" -> op -> whole(op, Pooling.max());
            default -> null;
        };
    }

    private static boolean average(Op op) {
        boolean withPadding = op.attributes().flag("count_include_pad", false);
        if (!withPadding) {
            return sliding(op, Pooling.average());
        }
        int spatial = op.in(0).shape().rank() - 2;
        boolean simple = op.attributes().text("auto_pad", "NOTSET").equals("NOTSET")
                && !op.attributes().flag("ceil_mode", false);
        if (!simple || spatial < 1 || spatial > 3) {
            return false;
        }
        long[] pads = Windows.numbers(op.attributes(), "pads", 2 * spatial, 0);
        int[] behind = new int[3];
        for (int i = 0; i < spatial; i++) {
            behind[3 - spatial + i] = Math.toIntExact(pads[spatial + i]);
        }
        return sliding(op, Pooling.averageWithPadding(behind[0], behind[1], behind[2]));
    }

    private static boolean sliding(Op op, Pooling pooling) {
        Shape in = op.in(0).shape();
        if (!op.in(0).isFloat() || in.elements() == 0) {
            return false;
        }
        long[] kernel = Windows.numbers(op.attributes(), "kernel_shape", 0, 0);
        Axis[] axes = Windows.axes(op, in, op.out().shape(), kernel);
        return axes != null && pool(op, axes, pooling);
    }

    /** Pools all pixels of images. */
    static boolean whole(Op op, Pooling pooling) {
        Cell in = op.in(0);
        int spatial = in.shape().rank() - 2;
        if (!in.isFloat() || spatial < 1 || spatial > 3 || in.elements() == 0) {
            return false;
        }
        Axis[] axes = {Axis.pointwise(1), Axis.pointwise(1), Axis.pointwise(1)};
        for (int i = 0; i < spatial; i++) {
            int size = Math.toIntExact(in.shape().dim(2 + i));
            axes[3 - spatial + i] = new Axis(size, 1, size, 1, 1, 0);
        }
        return pool(op, axes, pooling);
    }

    private static boolean pool(Op op, Axis[] axes, Pooling pooling) {
        Shape in = op.in(0).shape();
        var shape = new WindowShape(Math.toIntExact(in.dim(0)), Math.toIntExact(in.dim(1)), axes[0], axes[1], axes[2]);
        var pool = new Pool(op.kit().kernels(), shape, pooling);
        View from = op.lowering().blocked(op.in(0));
        View to = op.lowering().allocateBlocked(op.out());
        op.lowering()
                .add(Step.of("pool", op.node().name())
                        .reading(from)
                        .writing(to)
                        .repeating()
                        .calling(memory -> {
                            MemorySegment input = memory.segment(from);
                            MemorySegment output = memory.segment(to);
                            return crew -> pool.run(input, output, crew);
                        }));
        return true;
    }
}
