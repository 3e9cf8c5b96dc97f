package dev.millrace.providers.cpu.signal;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.move.Params;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** DFT and STFT. Complex numbers are pairs along the last axis, which has extent one where they are real. */
final class FourierKernels {
    private FourierKernels() {}

    /**
     * Lines of a tensor along one axis.
     *
     * @param parts one for real numbers, two for complex ones
     */
    private record Lines(ElementType type, long extent, long inner, int parts) {
        static Lines of(ElementType type, Shape shape, int axis) {
            int last = shape.rank() - 1;
            return new Lines(type, shape.dim(axis), shape.elements(axis + 1, last), (int) shape.dim(last));
        }

        long at(long line, long step, int part) {
            return ((line / inner * extent + step) * inner + line % inner) * parts + part;
        }
    }

    static ShapedKernel dft(Node node) {
        boolean inverse = node.attributes().flag("inverse", false);
        boolean oneSided = node.attributes().flag("onesided", false);
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            int axis = Shape.axis(axis(context), in.rank());
            Lines from = Lines.of(context.inputType(0), in, axis);
            Lines to = Lines.of(context.outputType(0), out, axis);
            long[] extents = Params.longs(context, 1);
            long length = extents != null ? extents[0] : oneSided && inverse ? to.extent() : from.extent();
            if (length <= 0 || length > 1 << 28) {
                throw EngineException.invalidArgument(node.describe() + ": a transform of length " + length);
            }
            var later = new LaterFourier((int) length);
            boolean mirrors = oneSided && inverse;
            long lines = in.elements(0, axis) * from.inner();
            RangeTask task = (run, first, end, scratch) -> {
                Fourier plan = later.get(run);
                double[] re = scratch.doubles(0, plan.length());
                double[] im = scratch.doubles(1, plan.length());
                for (long line = first; line < end; line++) {
                    load(run, from, line, re, im, plan.length(), mirrors);
                    plan.transform(re, im, inverse, scratch, run);
                    double scale = inverse ? 1.0 / plan.length() : 1;
                    for (int i = 0; i < to.extent(); i++) {
                        run.checkCancelled(i);
                        Elements.setDouble(to.type(), run.output(0), to.at(line, i, 0), re[i] * scale);
                        if (to.parts() == 2) {
                            Elements.setDouble(to.type(), run.output(0), to.at(line, i, 1), im[i] * scale);
                        }
                    }
                }
            };
            return run -> {
                later.get(run);
                run.parallelFor(lines, Math.max(1, 4096 / length), task);
            };
        };
    }

    private static long axis(BindContext context) {
        if (context.node().opset() < 20) {
            return context.node().attributes().integer("axis", 1);
        }
        return context.hasInput(2) ? context.requireValue(2).longs()[0] : -2;
    }

    /** One line, cut or filled up with zeros; or the first half of a spectrum of real numbers, completed. */
    private static void load(
            LaunchContext run, Lines from, long line, double[] re, double[] im, int length, boolean mirrors) {
        MemorySegment source = run.input(0);
        Arrays.fill(re, 0, length, 0);
        Arrays.fill(im, 0, length, 0);
        int count = (int) Math.min(length, from.extent());
        for (int i = 0; i < count; i++) {
            run.checkCancelled(i);
            re[i] = Elements.getDouble(from.type(), source, from.at(line, i, 0));
            im[i] = from.parts() == 2 ? Elements.getDouble(from.type(), source, from.at(line, i, 1)) : 0;
        }
        for (int i = length / 2 + 1; mirrors && i < length; i++) {
            run.checkCancelled(i);
            re[i] = re[length - i];
            im[i] = -im[length - i];
        }
    }

    static ShapedKernel stft(Node node) {
        return context -> {
            Shape signal = context.inputShape(0);
            Shape out = context.outputShape(0);
            long step = context.requireValue(1).longs()[0];
            boolean windowed = context.hasInput(2);
            long length = windowed
                    ? context.inputShape(2).dim(0)
                    : context.requireValue(3).longs()[0];
            if (step <= 0 || length <= 0 || length > signal.dim(1)) {
                throw EngineException.invalidArgument(node.describe() + ": frames of length " + length + " every "
                        + step + " steps of a signal of " + signal.dim(1));
            }
            var frames = new Frames(
                    new LaterFourier((int) length),
                    new Lines(context.inputType(0), signal.dim(1), 1, signal.rank() == 2 ? 1 : (int) signal.dim(2)),
                    context.outputType(0),
                    step,
                    out.dim(1),
                    (int) out.dim(2),
                    windowed);
            return (Launch) run -> {
                frames.later.get(run);
                run.parallelFor(out.dim(0) * out.dim(1), Math.max(1, 4096 / length), frames);
            };
        };
    }

    private record Frames(
            LaterFourier later, Lines from, ElementType toType, long step, long perSignal, int bins, boolean windowed)
            implements RangeTask {
        @Override
        public void run(LaunchContext run, long first, long end, Scratch scratch) {
            Fourier plan = later.get(run);
            int length = plan.length();
            double[] re = scratch.doubles(0, length);
            double[] im = scratch.doubles(1, length);
            double[] window = scratch.doubles(2, length);
            double[] pairs = scratch.doubles(3, 2 * bins);
            Arrays.fill(window, 0, length, 1);
            if (windowed) {
                Elements.read(from.type(), run.input(2), 0, window, 0, length);
            }
            for (long frame = first; frame < end; frame++) {
                long signal = frame / perSignal;
                long start = frame % perSignal * step;
                for (int i = 0; i < length; i++) {
                    run.checkCancelled(i);
                    long at = (signal * from.extent() + start + i) * from.parts();
                    re[i] = window[i] * Elements.getDouble(from.type(), run.input(0), at);
                    im[i] = from.parts() == 2 ? window[i] * Elements.getDouble(from.type(), run.input(0), at + 1) : 0;
                }
                plan.transform(re, im, false, scratch, run);
                for (int i = 0; i < bins; i++) {
                    run.checkCancelled(i);
                    pairs[2 * i] = re[i];
                    pairs[2 * i + 1] = im[i];
                }
                Elements.write(toType, run.output(0), frame * bins * 2, pairs, 0, 2 * bins);
            }
        }
    }
}
