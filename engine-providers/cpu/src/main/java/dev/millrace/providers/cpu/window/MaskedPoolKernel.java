package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * MaxpoolWithMask: the largest elements of windows. In each row of a window the first place that the mask hides ends the
 * row. A mask of fewer channels serves them by turns; a window of which nothing is seen is the least float.
 */
record MaskedPoolKernel(Node node) implements ShapedKernel {
    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        Shape shape = context.inputShape(0);
        Shape mask = context.inputShape(1);
        long[] kernel = attributes.integers("kernel_shape");
        if (kernel == null) {
            throw EngineException.invalidGraph(node.describe() + ": attribute 'kernel_shape' is missing");
        }
        Window window = Window.of(attributes, kernel, shape, context.outputShape(0));
        long planes = shape.elements(0, 2);
        long maskPlanes = mask.elements(0, Math.min(2, mask.rank()));
        boolean fits = mask.rank() == shape.rank() && (maskPlanes > 0 || planes == 0);
        for (int i = 2; fits && i < shape.rank(); i++) {
            fits = mask.dim(i) == shape.dim(i);
        }
        if (!fits) {
            throw EngineException.invalidArgument(
                    node.describe() + ": a mask of shape " + mask + " for an input of shape " + shape);
        }
        long grain = Math.max(1, 50_000 / Math.max(1, (long) window.outSize() * window.kernelSize()));
        return launch -> launch.parallelFor(planes, grain, largest(window, maskPlanes));
    }

    private static RangeTask largest(Window window, long maskPlanes) {
        int in = window.inSize();
        int out = window.outSize();
        return (launch, from, to, scratch) -> {
            float[] image = scratch.floats(0, in);
            float[] best = scratch.floats(1, out);
            boolean[] hidden = new boolean[in];
            for (long plane = from; plane < to; plane++) {
                Elements.read(ElementType.FLOAT, launch.input(0), plane * in, image, 0, in);
                for (int i = 0; i < in; i++) {
                    hidden[i] = Elements.getLong(ElementType.INT32, launch.input(1), plane % maskPlanes * in + i) == 0;
                }
                for (int i = 0; i < out; i++) {
                    best[i] = largest(window, i, image, hidden);
                }
                Elements.write(ElementType.FLOAT, launch.output(0), plane * out, best, 0, out);
            }
        };
    }

    private static float largest(Window window, int position, float[] image, boolean[] hidden) {
        float best = -Float.MAX_VALUE;
        int row = window.kernel()[window.axes() - 1];
        int taps = window.kernelSize();
        for (int start = 0; start < taps; start += row) {
            for (int tap = start; tap < start + row; tap++) {
                int place = window.place(position, tap);
                if (place >= 0 && hidden[place]) {
                    break;
                }
                if (place >= 0 && image[place] > best) {
                    best = image[place];
                }
            }
        }
        return best;
    }
}
