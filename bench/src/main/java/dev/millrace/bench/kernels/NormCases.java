package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.norm.ChannelNorm;
import dev.millrace.kernels.norm.NormRows;
import dev.millrace.kernels.norm.RowNorm;
import dev.millrace.kernels.softmax.Softmax;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Softmax and normalisations: of rows, of instances, of batches. */
final class NormCases {
    private static final float EPSILON = 1e-5f;
    /** Read twice, or read and written. */
    private static final int BYTES_PER_ELEMENT = 8;

    private NormCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int rows : new int[] {80, 1536, 32_768}) {
            cases.add(softmax("Softmax", false, rows, 128));
        }
        cases.add(softmax("Softmax", false, 128, 3072));
        cases.add(softmax("LogSoftmax", true, 1536, 128));
        cases.add(softmaxOfChannels(8, 64, 784));
        for (int rows : new int[] {13, 512, 5000}) {
            cases.add(layers(rows, 768));
        }
        for (int channels : new int[] {16, 512, 4096}) {
            cases.add(instances(channels, 28 * 28));
            cases.add(batch(channels, 28 * 28));
        }
        return cases;
    }

    private static LayerWork work(double elements) {
        return LayerWork.bytes(BYTES_PER_ELEMENT * elements);
    }

    private static KernelCase softmax(String op, boolean log, int rows, int columns) {
        return softmax(op + " " + rows + "x" + columns, op, log, 1, rows, columns);
    }

    private static KernelCase softmaxOfChannels(int batch, int channels, int pixels) {
        String shape = "Softmax " + Operands.text(batch, channels, pixels) + " over channels";
        return softmax(shape, "Softmax", false, 1, batch, channels, pixels);
    }

    private static KernelCase softmax(String shape, String op, boolean log, int axis, long... extents) {
        long rows = extents[0];
        long columns = extents[1];
        long inner = extents.length > 2 ? extents[2] : 1;
        return KernelCase.of("softmax", shape, work((double) rows * columns * inner), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floatsBetween(-5, 5, extents);
            Tensor out = operands.zeros(ElementType.FLOAT, extents);
            Softmax softmax = log ? Softmax.logarithm(kernels.set()) : Softmax.of(kernels.set());
            return new Sides(
                    () -> softmax.run(in.segment(), out.segment(), rows, columns, inner, parallel),
                    Map.of("y", out),
                    () -> softmaxModel(op, in, axis));
        });
    }

    private static ReferenceModel softmaxModel(String op, Tensor in, long axis) {
        var model = new ReferenceModel();
        model.output("y", model.node(op, Attributes.of("axis", Attribute.of(axis)), model.input("x", in)));
        return model;
    }

    private static ReferenceModel scaled(String op, Tensor in, Tensor... constants) {
        var model = new ReferenceModel();
        List<Value> operands = new ArrayList<>();
        operands.add(model.input("x", in));
        for (int i = 0; i < constants.length; i++) {
            operands.add(model.constant("constant" + i, constants[i]));
        }
        Attributes epsilon = Attributes.of("epsilon", Attribute.of(EPSILON));
        model.output("y", model.node(op, epsilon, operands.toArray(new Value[0])));
        return model;
    }

    private static KernelCase layers(int rows, int columns) {
        String shape = "LayerNormalization " + rows + "x" + columns;
        return KernelCase.of("norm", shape, work((double) rows * columns), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floats(rows, columns);
            Tensor scale = operands.floats(columns);
            Tensor bias = operands.floats(columns);
            Tensor out = operands.zeros(ElementType.FLOAT, rows, columns);
            var variant = new NormRows.Variant(true, false, true, true, false);
            var norm = new RowNorm(kernels.set(), variant, EPSILON);
            var given = RowNorm.Operands.of(in.segment(), out.segment()).scaledBy(scale.segment(), bias.segment());
            return new Sides(
                    () -> norm.run(given, rows, columns, parallel),
                    Map.of("y", out),
                    () -> scaled("LayerNormalization", in, scale, bias));
        });
    }

    private static KernelCase instances(int channels, int pixels) {
        String shape = "InstanceNormalization " + Operands.text(1, channels, pixels);
        return KernelCase.of("norm", shape, work((double) channels * pixels), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floats(1, channels, pixels);
            Tensor scale = operands.floats(channels);
            Tensor bias = operands.floats(channels);
            Tensor out = operands.zeros(ElementType.FLOAT, 1, channels, pixels);
            var norm = new ChannelNorm(kernels.set());
            var images = new ChannelNorm.Images(
                    in.segment(), out.segment(), scale.segment(), bias.segment(), 1, channels, pixels);
            return new Sides(
                    () -> norm.groups(images, channels, EPSILON, parallel),
                    Map.of("y", out),
                    () -> scaled("InstanceNormalization", in, scale, bias));
        });
    }

    private static KernelCase batch(int channels, int pixels) {
        String shape = "BatchNormalization " + Operands.text(1, channels, pixels);
        return KernelCase.of("norm", shape, work((double) channels * pixels), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floats(1, channels, pixels);
            Tensor scale = operands.floats(channels);
            Tensor bias = operands.floats(channels);
            Tensor mean = operands.floats(channels);
            Tensor variance = operands.floatsBetween(0.5f, 2, channels);
            Tensor out = operands.zeros(ElementType.FLOAT, 1, channels, pixels);
            var norm = new ChannelNorm(kernels.set());
            MemorySegment factors = arena.allocate(Float.BYTES * (long) channels, 64);
            MemorySegment offsets = arena.allocate(Float.BYTES * (long) channels, 64);
            ChannelNorm.foldBatch(
                    scale.segment(), bias.segment(), mean.segment(), variance.segment(), EPSILON, factors, offsets);
            var images = new ChannelNorm.Images(in.segment(), out.segment(), factors, offsets, 1, channels, pixels);
            return new Sides(
                    () -> norm.scale(images, parallel),
                    Map.of("y", out),
                    () -> scaled("BatchNormalization", in, scale, bias, mean, variance));
        });
    }
}
