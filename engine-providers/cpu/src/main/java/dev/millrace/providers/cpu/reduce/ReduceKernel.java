package dev.millrace.providers.cpu.reduce;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;
import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The Reduce operators. Axes are an attribute or, in newer opsets, an input. */
record ReduceKernel(Node node, ReductionSteps reduction) implements ShapedKernel {
    private static final int BLOCK = 2048;

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        boolean[] folded = folded(context, shape.rank());
        ReductionShape walk = ReductionShape.of(shape, folded);
        long results = context.outputShape(0).elements();
        long count = 1;
        for (int i = 0; i < folded.length; i++) {
            count *= folded[i] ? shape.dim(i) : 1;
        }
        // ONNX computes the logarithm of a sum of exponentials as reals, whatever it is given.
        RangeTask task = type.isFloating() || reduction == ReductionSteps.LOG_SUM_EXP
                ? doubles(walk, type, reduction.finish(count))
                : longs(walk, type, reduction.finishLong(count));
        if (count == 0 && results > 0) {
            return launch -> fillEmpty(launch, type, results);
        }
        long items = results == 0 ? 0 : walk.items();
        long grain = Math.max(1, 4096 / Math.max(1, walk.run() * walk.steps()));
        return launch -> launch.parallelFor(items, grain, task);
    }

    private boolean[] folded(BindContext context, int rank) {
        boolean[] folded = new boolean[rank];
        long[] axes = axes(context);
        if (axes == null || axes.length == 0) {
            Arrays.fill(folded, !node.attributes().isOne("noop_with_empty_axes", false));
            return folded;
        }
        for (long axis : axes) {
            folded[Shape.axis(axis, rank)] = true;
        }
        return folded;
    }

    private long @Nullable [] axes(BindContext context) {
        return context.hasInput(1)
                ? context.requireValue(1).longs()
                : node.attributes().integers("axes");
    }

    private void fillEmpty(LaunchContext launch, ElementType type, long results) {
        double identity = reduction.finish(0).applyAsDouble(reduction.fold.identity);
        long least =
                type == ElementType.BOOL || type.kind() == ElementType.Kind.UNSIGNED ? 0 : -1L << (type.bits() - 1);
        for (long i = 0; i < results; i++) {
            if (type.isFloating()) {
                Elements.setDouble(type, launch.output(0), i, identity);
            } else {
                long value = switch (reduction.fold) {
                    case MAX -> least;
                    case MIN -> ~least;
                    default -> reduction.fold.longIdentity;
                };
                Elements.setLong(type, launch.output(0), i, value);
            }
        }
    }

    private RangeTask doubles(ReductionShape walk, ElementType type, DoubleUnaryOperator finish) {
        return (launch, from, to, scratch) -> {
            double[] run = scratch.doubles(0, BLOCK);
            double[] sums = scratch.doubles(1, BLOCK);
            double[] peaks = scratch.doubles(2, BLOCK);
            for (long item = from; item < to; item++) {
                for (long at = 0; at < walk.width(); at += BLOCK) {
                    int width = (int) Math.min(BLOCK, walk.width() - at);
                    if (reduction == ReductionSteps.LOG_SUM_EXP) {
                        fold(launch, walk, type, item, at, width, ReductionSteps.Fold.MAX, run, peaks, null);
                        fold(
                                launch,
                                walk,
                                type,
                                item,
                                at,
                                width,
                                ReductionSteps.Fold.SUM,
                                run,
                                sums,
                                finite(peaks, width));
                    } else {
                        fold(launch, walk, type, item, at, width, reduction.fold, run, sums, null);
                    }
                    for (int i = 0; i < width; i++) {
                        sums[i] = finish.applyAsDouble(sums[i]);
                        sums[i] += reduction == ReductionSteps.LOG_SUM_EXP ? peaks[i] : 0;
                    }
                    Elements.write(type, launch.output(0), item * walk.width() + at, sums, 0, width);
                }
            }
        };
    }

    /** A peak that is not finite must not shift others of its kind to NaN. */
    private static double[] finite(double[] peaks, int count) {
        for (int i = 0; i < count; i++) {
            peaks[i] = Double.isFinite(peaks[i]) ? peaks[i] : 0;
        }
        return peaks;
    }

    /** Folds into {@code sums}; with {@code shift}, exponentials of the elements less their shift. */
    private void fold(
            LaunchContext launch,
            ReductionShape walk,
            ElementType type,
            long item,
            long at,
            int width,
            ReductionSteps.Fold fold,
            double[] run,
            double[] sums,
            double @Nullable [] shift) {
        Arrays.fill(sums, 0, width, fold.identity);
        boolean rows = walk.width() > 1;
        eachRun(launch, walk, item, at, width, (first, count) -> {
            Elements.read(type, launch.input(0), first, run, 0, count);
            if (shift != null && rows) {
                exponentials(run, shift, count);
            } else if (shift != null) {
                exponentials(run, shift[0], count);
            } else if (fold == reduction.fold) {
                reduction.map(run, count);
            }
            if (rows) {
                ReductionSteps.foldRow(fold, sums, run, count);
            } else {
                sums[0] = ReductionSteps.foldRun(fold, sums[0], run, count);
            }
        });
    }

    /** Takes some elements that lie side by side. */
    @FunctionalInterface
    private interface RunTask {
        void take(long first, int count);
    }

    /** The runs of elements that go into some results of an item. */
    private static void eachRun(
            LaunchContext launch, ReductionShape walk, long item, long at, int width, RunTask task) {
        long start = walk.itemStart(item);
        long length = walk.width() > 1 ? width : walk.run();
        for (long step = 0; step < walk.steps(); step++) {
            if (step % BLOCK == BLOCK - 1) {
                launch.checkCancelled();
            }
            long base = start + walk.stepOffset(step) + at;
            for (long first = 0; first < length; first += BLOCK) {
                if (first > 0) {
                    launch.checkCancelled();
                }
                task.take(base + first, (int) Math.min(BLOCK, length - first));
            }
        }
    }

    private static void exponentials(double[] run, double[] shift, int count) {
        for (int i = 0; i < count; i++) {
            run[i] = Math.exp(run[i] - shift[i]);
        }
    }

    private static void exponentials(double[] run, double shift, int count) {
        for (int i = 0; i < count; i++) {
            run[i] = Math.exp(run[i] - shift);
        }
    }

    private RangeTask longs(ReductionShape walk, ElementType type, LongUnaryOperator finish) {
        boolean ordered = reduction.fold == ReductionSteps.Fold.MAX || reduction.fold == ReductionSteps.Fold.MIN;
        long flip = type == ElementType.UINT64 && ordered ? Long.MIN_VALUE : 0;
        return (launch, from, to, scratch) -> {
            long[] run = scratch.longs(0, BLOCK);
            long[] results = scratch.longs(1, BLOCK);
            for (long item = from; item < to; item++) {
                for (long at = 0; at < walk.width(); at += BLOCK) {
                    int width = (int) Math.min(BLOCK, walk.width() - at);
                    fold(launch, walk, type, item, at, width, flip, run, results);
                    for (int i = 0; i < width; i++) {
                        results[i] = finish.applyAsLong(results[i]) ^ flip;
                    }
                    Elements.write(type, launch.output(0), item * walk.width() + at, results, 0, width);
                }
            }
        };
    }

    /** Folds into {@code results}. What is flipped on the way in is in the order of unsigned numbers. */
    private void fold(
            LaunchContext launch,
            ReductionShape walk,
            ElementType type,
            long item,
            long at,
            int width,
            long flip,
            long[] run,
            long[] results) {
        Arrays.fill(results, 0, width, reduction.fold.longIdentity);
        eachRun(launch, walk, item, at, width, (first, count) -> {
            Elements.read(type, launch.input(0), first, run, 0, count);
            for (int i = 0; i < count && flip != 0; i++) {
                run[i] ^= flip;
            }
            reduction.map(run, count);
            if (walk.width() > 1) {
                ReductionSteps.foldRow(reduction.fold, results, run, count);
            } else {
                results[0] = ReductionSteps.foldRun(reduction.fold, results[0], run, count);
            }
        });
    }
}
