package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Layouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * ArgMax and ArgMin: the place of the extreme element of each lane, the first or the last of equals; that of a NaN only
 * where there is nothing else.
 */
record ArgKernel(Node node, boolean greatest) implements ShapedKernel {
    private static final int BLOCK = 2048;

    /** Lanes along an axis, of any length: how many elements each has, and how far they are apart. */
    private record Axis(long extent, long inner) {
        long start(long lane) {
            return lane / inner * extent * inner + lane % inner;
        }
    }

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int rank = shape.rank();
        int at = Shape.axis(node.attributes().integer("axis", 0), Math.max(1, rank));
        boolean last = node.attributes().flag("select_last_index", false);
        var axis = rank == 0 ? new Axis(1, 1) : new Axis(shape.dim(at), shape.elements(at + 1, rank));
        RangeTask task = type.isFloating() ? doubles(axis, type, last) : longs(axis, type, last);
        long grain = Math.max(1, 4096 / Math.max(1, axis.extent()));
        long lanes = context.outputShape(0).elements();
        return launch -> launch.parallelFor(lanes, grain, task);
    }

    private RangeTask doubles(Axis axis, ElementType type, boolean last) {
        return (launch, from, to, scratch) -> {
            double[] block = scratch.doubles(0, BLOCK);
            for (long i = from; i < to; i++) {
                long best = 0;
                double held = 0;
                for (long at = 0; at < axis.extent(); at += BLOCK) {
                    launch.checkCancelled();
                    int count = (int) Math.min(BLOCK, axis.extent() - at);
                    long first = axis.start(i) + at * axis.inner();
                    Lanes.read(type, launch.input(0), first, axis.inner(), block, 0, count);
                    held = at == 0 ? block[0] : held;
                    for (int j = at == 0 ? 1 : 0; j < count; j++) {
                        if (isBetter(block[j], held) || (last && block[j] == held)) {
                            best = at + j;
                            held = block[j];
                        }
                    }
                }
                launch.output(0).set(Layouts.LONG, i * 8, best);
            }
        };
    }

    private boolean isBetter(double value, double held) {
        return (greatest ? value > held : value < held) || Double.isNaN(held) && !Double.isNaN(value);
    }

    private RangeTask longs(Axis axis, ElementType type, boolean last) {
        long flip = type == ElementType.UINT64 ? Long.MIN_VALUE : 0;
        return (launch, from, to, scratch) -> {
            long[] block = scratch.longs(0, BLOCK);
            for (long i = from; i < to; i++) {
                long best = 0;
                long held = 0;
                for (long at = 0; at < axis.extent(); at += BLOCK) {
                    launch.checkCancelled();
                    int count = (int) Math.min(BLOCK, axis.extent() - at);
                    long first = axis.start(i) + at * axis.inner();
                    Lanes.read(type, launch.input(0), first, axis.inner(), block, 0, count);
                    held = at == 0 ? block[0] : held;
                    for (int j = at == 0 ? 1 : 0; j < count; j++) {
                        int order = Long.compare(block[j] ^ flip, held ^ flip);
                        if ((greatest ? order > 0 : order < 0) || (last && order == 0)) {
                            best = at + j;
                            held = block[j];
                        }
                    }
                }
                launch.output(0).set(Layouts.LONG, i * 8, best);
            }
        };
    }
}
