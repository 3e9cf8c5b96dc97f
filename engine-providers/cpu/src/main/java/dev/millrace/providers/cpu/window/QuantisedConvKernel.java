package dev.millrace.providers.cpu.window;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.product.IntegerProduct;
import dev.millrace.providers.cpu.product.QuantisationParameter;
import dev.millrace.providers.cpu.quant.Rounding;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.Arrays;

/** ConvInteger and QLinearConv. What lies in the padding is the zero point. */
record QuantisedConvKernel(Node node, boolean scaled) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        int w = scaled ? 3 : 1;
        ElementType imageType = context.inputType(0);
        ElementType weightType = context.inputType(w);
        Shape image = context.inputShape(0);
        Shape weights = context.inputShape(w);
        Shape out = context.outputShape(0);
        long[] kernel = Arrays.copyOfRange(weights.toArray(), 2, weights.rank());
        Window window = Window.of(node.attributes(), kernel, image, out);
        int groups = ArrayExtents.toInt("groups", node.attributes().integer("group", 1));
        int channels = ArrayExtents.toInt("channels of a filter", weights.dim(1));
        int filters = ArrayExtents.toInt("filters", weights.dim(0));
        if (groups < 1 || filters % groups != 0 || (long) channels * groups != image.dim(1)) {
            throw EngineException.invalidArgument(node.describe() + ": " + groups + " groups and weights of shape "
                    + weights + " do not fit an input of shape " + image);
        }
        int rows = filters / groups;
        int taps = window.kernelSize();
        int depth = ArrayExtents.product("weights of a filter", channels, taps);
        QuantisationParameter imageZero = QuantisationParameter.of(context, 2);
        QuantisationParameter weightZero = QuantisationParameter.of(context, scaled ? 5 : 3);
        IntegerProduct.Line left = (launch, batch, row, column, count, to) -> {
            long filter = batch % groups * rows + row;
            int zero = weightZero.zero(launch, filter);
            QuantisationParameter.read(weightType, launch.input(w), filter * depth + column, to, 0, count, zero);
        };
        boolean pointwise = window.isPointwise();
        IntegerProduct.Line right = (launch, batch, row, column, count, to) -> {
            long plane = (batch * channels + row / taps) * window.inSize();
            int zero = imageZero.zero(launch, 0);
            if (pointwise) {
                QuantisationParameter.read(imageType, launch.input(0), plane + column, to, 0, count, zero);
                return;
            }
            int width = window.outWidth();
            for (int i = 0; i < count; ) {
                int length = Math.min(width - (column + i) % width, count - i);
                Window.Span span = window.span(column + i, row % taps, length);
                Arrays.fill(to, i, i + length, 0);
                for (int j = span.first(); j < span.end(); j += span.together(j)) {
                    QuantisationParameter.read(
                            imageType, launch.input(0), plane + span.place(j), to, i + j, span.together(j), zero);
                }
                i += length;
            }
        };
        int columns = window.outSize();
        IntegerProduct.Finish finish = scaled ? scale(context, rows, groups, columns) : store(rows, columns);
        return new IntegerProduct(image.dim(0) * groups, rows, depth, columns, left, right, finish);
    }

    private static IntegerProduct.Finish store(int rows, int columns) {
        return (launch, batch, row, column, count, sums) -> {
            long at = (batch * rows + row) * columns + column;
            for (int i = 0; i < count; i++) {
                launch.output(0).set(ByteLayouts.INT, (at + i) * 4, sums[i]);
            }
        };
    }

    private static IntegerProduct.Finish scale(BindContext context, int rows, int groups, int columns) {
        QuantisationParameter imageScale = QuantisationParameter.of(context, 1);
        QuantisationParameter weightScale = QuantisationParameter.of(context, 4);
        QuantisationParameter outScale = QuantisationParameter.of(context, 6);
        QuantisationParameter outZero = QuantisationParameter.of(context, 7);
        boolean bias = context.hasInput(8);
        ElementType type = context.outputType(0);
        return (launch, batch, row, column, count, sums) -> {
            long filter = batch % groups * rows + row;
            long at = (batch * rows + row) * columns + column;
            int added = bias ? launch.input(8).get(ByteLayouts.INT, filter * 4) : 0;
            double factor = imageScale.scale(launch, 0) * weightScale.scale(launch, filter) / outScale.scale(launch, 0);
            int zero = outZero.zero(launch, 0);
            Rounding.storeIntegers(type, launch.output(0), at, sums, added, factor, zero, count);
        };
    }
}
