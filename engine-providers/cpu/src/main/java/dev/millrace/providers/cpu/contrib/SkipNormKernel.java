package dev.millrace.providers.cpu.contrib;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.elementwise.Broadcast;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.norm.Moments;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.ShapedKernel;

/**
 * SkipLayerNormalization and SkipSimplifiedLayerNormalization: input, skip and bias are added, and each row of the sum is
 * normalised by its deviation or, in the simplified form, its root mean square.
 */
record SkipNormKernel(Node node, boolean simplified) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        ElementType type = context.inputType(0);
        Shape shape = context.inputShape(0);
        int length = ArrayExtents.toInt("elements of a row", shape.dimAt(-1));
        double epsilon = node.attributes().real("epsilon", 1e-12f);
        Broadcast skip = Broadcast.of(type, context.inputShape(1), shape);
        int betaInput = simplified ? -1 : 3;
        int biasInput = simplified ? 3 : 4;
        boolean beta = !simplified && context.hasInput(betaInput);
        boolean bias = context.hasInput(biasInput);
        boolean sums = context.outputCount() > 3 && context.hasOutput(3);
        boolean means = context.outputCount() > 1 && context.hasOutput(1);
        boolean deviations = context.outputCount() > 2 && context.hasOutput(2);
        RangeTask task = (launch, from, to, scratch) -> {
            double[] row = scratch.doubles(0, length);
            double[] other = scratch.doubles(1, length);
            for (long i = from; i < to; i++) {
                Elements.read(type, launch.input(0), i * length, row, 0, length);
                skip.read(launch.input(1), i * length, other, length);
                add(row, other, length);
                if (bias) {
                    Elements.read(type, launch.input(biasInput), 0, other, 0, length);
                    add(row, other, length);
                }
                if (sums) {
                    Elements.write(type, launch.output(3), i * length, row, 0, length);
                }
                double mean = simplified ? 0 : Moments.mean(launch, row, length);
                double inverse = 1 / Math.sqrt(Moments.squares(launch, row, length, mean) / length + epsilon);
                Elements.read(type, launch.input(2), 0, other, 0, length);
                for (int j = 0; j < length; j++) {
                    row[j] = (row[j] - mean) * inverse * other[j];
                }
                if (beta) {
                    Elements.read(type, launch.input(betaInput), 0, other, 0, length);
                    add(row, other, length);
                }
                Elements.write(type, launch.output(0), i * length, row, 0, length);
                if (means) {
                    Elements.setDouble(ElementType.FLOAT, launch.output(1), i, mean);
                }
                if (deviations) {
                    Elements.setDouble(ElementType.FLOAT, launch.output(2), i, inverse);
                }
            }
        };
        long rows = length == 0 ? 0 : shape.elements() / length;
        long grain = Math.max(1, 4096 / Math.max(1, length));
        return launch -> launch.parallelFor(rows, grain, task);
    }

    private static void add(double[] sums, double[] added, int count) {
        for (int i = 0; i < count; i++) {
            sums[i] += added[i];
        }
    }
}
