package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.move.CellLoops;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * MaxUnpool: puts each element where MaxPool found it, zeros elsewhere. Indices count in the shape that the window
 * implies; a larger output shape has that in its corner.
 */
record MaxUnpoolKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        Shape out = context.outputShape(0);
        Shape implied = implied(shape);
        long[] extents = implied.toArray();
        long[] strides = out.strides();
        long count = shape.elements();
        return launch -> {
            CellLoops.zeros(launch, launch.output(0));
            for (long i = 0; i < count; i++) {
                launch.checkCancelled(i);
                long index = launch.input(1).get(ByteLayouts.LONG, i * 8);
                if (index < 0 || index >= implied.elements()) {
                    throw EngineException.invalidArgument(
                            node.describe() + ": index " + index + " is outside shape " + implied);
                }
                long place = place(index, extents, strides);
                if (place < out.elements()) {
                    Elements.setDouble(type, launch.output(0), place, Elements.getDouble(type, launch.input(0), i));
                }
            }
        };
    }

    private Shape implied(Shape shape) {
        int axes = shape.rank() - 2;
        int[] kernel = Window.ints(node.attributes().integers("kernel_shape"), axes, 1);
        int[] strides = Window.ints(node.attributes().integers("strides"), axes, 1);
        int[] pads = Window.ints(node.attributes().integers("pads"), 2 * axes, 0);
        Shape implied = shape;
        for (int i = 0; i < axes; i++) {
            long extent = (shape.dim(i + 2) - 1) * strides[i] + kernel[i] - pads[i] - pads[i + axes];
            implied = implied.with(i + 2, extent);
        }
        return implied;
    }

    private static long place(long index, long[] extents, long[] strides) {
        long rest = index;
        long place = 0;
        for (int i = extents.length - 1; i >= 0; i--) {
            place += rest % extents[i] * strides[i];
            rest /= extents[i];
        }
        return place;
    }
}
