package dev.millrace.providers.simd.rule.reduce;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.norm.ChannelNorm;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.OutputViews;
import dev.millrace.providers.simd.rule.common.Reductions;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.Weights;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The rules of normalisations of images by channels: instance and group normalisation, batch normalisation and LRN. */
public final class ChannelNormRules {
    private static final float EPSILON = 1e-5f;

    private ChannelNormRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.INSTANCE_NORMALIZATION ->
                op -> groups(op, op.in(0).shape().dim(1));
            case OpName.GROUP_NORMALIZATION -> op -> groups(op, op.attributes().integer("num_groups"));
            case OpName.BATCH_NORMALIZATION -> ChannelNormRules::batch;
            case OpName.LRN -> NeighbourNorm::lower;
            default -> null;
        };
    }

    private static boolean areFloat(LoweringContext op) {
        for (int i = 0; i < op.inputs(); i++) {
            if (!op.has(i) || !op.in(i).isFloat()) {
                return false;
            }
        }
        return true;
    }

    private static boolean groups(LoweringContext op, long groups) {
        Shape shape = op.in(0).shape();
        if (!areFloat(op) || shape.rank() < 2 || groups < 1 || shape.dim(1) % groups != 0) {
            return false;
        }
        View factors = ofChannels(op, op.in(1), shape.dim(1));
        View offsets = ofChannels(op, op.in(2), shape.dim(1));
        if (factors == null || offsets == null) {
            return false;
        }
        ChannelNorm norm = op.environment()
                .driver(
                        ChannelNorm.class,
                        () -> new ChannelNorm(op.environment().kernels()));
        View from = op.lowering().dense(op.in(0));
        View to = op.lowering().allocate(op.out());
        int batch = Math.toIntExact(shape.dim(0));
        int channels = Math.toIntExact(shape.dim(1));
        long pixels = shape.elements(2, shape.rank());
        float epsilon = op.attributes().real("epsilon", EPSILON);
        op.lowering()
                .add(ProgramStep.of("norm.groups", op.node().name())
                        .reading(from, factors, offsets)
                        .writing(to)
                        .repeating()
                        .calling(memory -> {
                            var images = new ChannelNorm.Images(
                                    memory.segment(from),
                                    memory.segment(to),
                                    memory.segment(factors),
                                    memory.segment(offsets),
                                    batch,
                                    channels,
                                    pixels);
                            return crew -> norm.groups(images, (int) groups, epsilon, crew);
                        }));
        return true;
    }

    /** Returns one number for each channel, repeated where there is one for each group; null for any other count. */
    private static @Nullable View ofChannels(LoweringContext op, ValueState numbers, long channels) {
        long count = numbers.elements();
        if (count == channels) {
            return op.lowering().dense(numbers);
        }
        if (count == 0 || channels % count != 0) {
            return null;
        }
        View groups = op.lowering().dense(numbers);
        Shape shape = Shape.of(count, channels / count);
        View repeated = View.dense(groups.storage(), groups.type(), Shape.of(count, 1), groups.offset())
                .broadcast(shape);
        View all = op.lowering().allocate(ElementType.FLOAT, shape);
        op.lowering().copy(repeated, all, numbers.name());
        return all;
    }

    /** Lowers BatchNormalization. With the statistics of the training it is a product and a sum for each element. */
    private static boolean batch(LoweringContext op) {
        Shape shape = op.in(0).shape();
        if (op.opset() >= 14 && op.attributes().isOne("training_mode", false)) {
            return training(op);
        }
        boolean training = op.opset() < 7 && !op.attributes().flag("is_test", false);
        boolean spatial = op.attributes().flag("spatial", true);
        boolean hasStatistics = op.wants(1) || op.wants(2) || op.wants(3) || op.wants(4);
        if (training || !spatial || hasStatistics || !areFloat(op) || shape.rank() < 2) {
            return false;
        }
        List<Tensor> known = new ArrayList<>();
        for (int i = 1; i < op.inputs(); i++) {
            Tensor tensor = op.in(i).known();
            if (tensor != null) {
                known.add(tensor);
            }
        }
        long[] dims = new long[shape.rank() - 1];
        Arrays.fill(dims, 1);
        dims[0] = shape.dim(1);
        if (known.size() < op.inputs() - 1) {
            batchOfInputs(op, Shape.of(dims));
            return true;
        }
        MemorySegment folded = folded(op, known, dims[0]);
        long bytes = Float.BYTES * dims[0];
        Tensor factors = Tensor.wrap(ElementType.FLOAT, Shape.of(dims), folded.asSlice(0, bytes));
        Tensor offsets = Tensor.wrap(ElementType.FLOAT, Shape.of(dims), folded.asSlice(bytes, bytes));
        PartitionCompiler lowering = op.lowering();
        List<ValueState> operands = List.of(op.in(0), lowering.constant(factors), lowering.constant(offsets));
        lowering.defer(op.out(), operands, v -> v.get(0).times(v.get(1)).plus(v.get(2)));
        return true;
    }

    /**
     * Lowers BatchNormalization whose statistics are known only in a run: first computes a factor and an offset for
     * each channel.
     */
    private static void batchOfInputs(LoweringContext op, Shape ofChannels) {
        PartitionCompiler lowering = op.lowering();
        Expr epsilon = Expr.number(op.attributes().real("epsilon", EPSILON));
        List<ValueState> values = new ArrayList<>();
        for (int i = 1; i < op.inputs(); i++) {
            View numbers = lowering.dense(op.in(i));
            ValueState cell = lowering.part(op.out(), ElementType.FLOAT, ofChannels);
            lowering.provide(cell, View.dense(numbers.storage(), numbers.type(), ofChannels, numbers.offset()));
            values.add(cell);
        }
        ValueState factors = lowering.part(op.out(), ElementType.FLOAT, ofChannels);
        lowering.defer(
                factors,
                List.of(values.get(0), values.get(3)),
                v -> v.get(0).over(v.get(1).plus(epsilon).apply(FloatFunction.SQRT)));
        lowering.materialise(factors);
        ValueState offsets = lowering.part(op.out(), ElementType.FLOAT, ofChannels);
        lowering.defer(
                offsets,
                List.of(values.get(1), values.get(2), factors),
                v -> v.get(0).minus(v.get(1).times(v.get(2))));
        lowering.materialise(offsets);
        lowering.defer(
                op.out(),
                List.of(op.in(0), factors, offsets),
                v -> v.get(0).times(v.get(1)).plus(v.get(2)));
    }

    /**
     * Lowers BatchNormalization in training mode: normalises by the statistics of the batch, and moves the running
     * statistics towards them.
     */
    private static boolean training(LoweringContext op) {
        ValueState in = op.in(0);
        int rank = in.shape().rank();
        if (!areFloat(op) || rank < 2 || in.elements() == 0) {
            return false;
        }
        PartitionCompiler lowering = op.lowering();
        Shape ofChannels = Shape.of(in.shape().dim(1));
        int[] axes = IntStream.range(0, rank).filter(axis -> axis != 1).toArray();
        long[] dims = new long[rank - 1];
        Arrays.fill(dims, 1);
        dims[0] = in.shape().dim(1);
        Shape beside = Shape.of(dims);
        ValueState mean = lowering.part(op.out(), ElementType.FLOAT, beside);
        Reductions.add(op, ReduceOp.MEAN, in, mean, axes);
        ValueState centred = lowering.part(op.out(), ElementType.FLOAT, in.shape());
        lowering.defer(centred, List.of(in, mean), v -> v.get(0).minus(v.get(1)));
        ValueState squares = lowering.part(op.out(), ElementType.FLOAT, beside);
        Reductions.add(op, ReduceOp.SUM_SQUARE, centred, squares, axes);
        Expr size = Expr.number((float) (in.elements() / ofChannels.elements()));
        Expr epsilon = Expr.number(op.attributes().real("epsilon", EPSILON));
        ValueState factors = lowering.part(op.out(), ElementType.FLOAT, beside);
        ValueState scales = OutputViews.of(lowering, op.out(), lowering.view(op.in(1)), beside);
        lowering.defer(factors, List.of(scales, squares), v -> {
            Expr variance = v.get(1).over(size);
            return v.get(0).over(variance.plus(epsilon).apply(FloatFunction.SQRT));
        });
        lowering.materialise(factors);
        ValueState offsets = OutputViews.of(lowering, op.out(), lowering.view(op.in(2)), beside);
        lowering.defer(
                op.out(),
                List.of(centred, factors, offsets),
                v -> v.get(0).times(v.get(1)).plus(v.get(2)));
        move(op, 1, 3, OutputViews.of(lowering, op.out(), lowering.view(mean), ofChannels), Expr.number(1));
        move(op, 2, 4, OutputViews.of(lowering, op.out(), lowering.view(squares), ofChannels), size);
        return true;
    }

    /** Moves a running statistic towards that of the batch. */
    private static void move(LoweringContext op, int output, int input, ValueState seen, Expr divisor) {
        if (op.wants(output)) {
            float momentum = op.attributes().real("momentum", 0.9f);
            op.lowering()
                    .defer(
                            op.out(output),
                            List.of(op.in(input), seen),
                            v -> v.get(0)
                                    .times(Expr.number(momentum))
                                    .plus(v.get(1).over(divisor).times(Expr.number(1 - momentum))));
        }
    }

    /**
     * Returns factors followed by offsets, computed once for the operands. They are computed at once, since blocks of
     * channels are made of them, and a single one becomes part of the code.
     */
    private static MemorySegment folded(LoweringContext op, List<Tensor> operands, long channels) {
        Weights weights = op.environment().weights();
        float epsilon = op.attributes().real("epsilon", EPSILON);
        long bytes = Float.BYTES * channels;
        return weights.filled(
                operands,
                Layout.of("batch normalisation " + epsilon, 2 * bytes),
                target -> ChannelNorm.foldBatch(
                        weights.plain(operands.get(0)),
                        weights.plain(operands.get(1)),
                        weights.plain(operands.get(2)),
                        weights.plain(operands.get(3)),
                        epsilon,
                        target.asSlice(0, bytes),
                        target.asSlice(bytes, bytes)));
    }
}
