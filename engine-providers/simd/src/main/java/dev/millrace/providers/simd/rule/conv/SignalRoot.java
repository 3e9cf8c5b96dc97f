package dev.millrace.providers.simd.rule.conv;

import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.gemm.Batch;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import dev.millrace.kernels.image.Axis;
import dev.millrace.providers.simd.lower.FusionRoot;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A convolution of signals of one channel, as spectra are made: the product of their windows, which are rows that overlap
 * in memory, and the weights. Results have their channels side by side.
 */
final class SignalRoot implements FusionRoot {
    private static final long ALIGNMENT = 64;
    /** Shorter windows are left to convolutions, which read neighbouring ones together. */
    private static final int LEAST_TAPS = 32;

    private final PartitionCompiler lowering;
    private final ValueState in;
    private final Axis axis;
    private final long batch;
    private final long channels;
    private final ConvWeights.Fixed weights;

    /** @param channels of the result */
    SignalRoot(
            PartitionCompiler lowering,
            ValueState in,
            Axis axis,
            long batch,
            long channels,
            ConvWeights.Fixed weights) {
        this.lowering = lowering;
        this.in = in;
        this.axis = axis;
        this.batch = batch;
        this.channels = channels;
        this.weights = weights;
    }

    /** Whether windows along this axis are rows of a matrix. */
    static boolean fits(Shape in, Axis axis) {
        return in.rank() == 3
                && in.dim(1) == 1
                && axis.dilation() == 1
                && axis.taps() >= LEAST_TAPS
                && axis.before() == 0
                && axis.start(axis.out() - 1) + axis.taps() <= axis.in();
    }

    @Override
    public int mostOperands() {
        return Expr.MAX_INPUTS - 1;
    }

    @Override
    public boolean takes(ValueState operand, ValueState result) {
        return operand.isFloat() && result.isFloat() && (operand.elements() == 1 || isOfChannels(operand.shape()));
    }

    private boolean isOfChannels(Shape shape) {
        return shape.rank() > 1 && shape.dimAt(-1) == 1 && shape.dimAt(-2) == channels && shape.elements() == channels;
    }

    @Override
    public boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands) {
        if (!result.isFloat() || after != null && after.kind() != Kind.FLOAT) {
            return false;
        }
        var views = new ArrayList<View>();
        var kinds = new ArrayList<EpilogueOperand>();
        for (ValueState operand : operands) {
            kinds.add(operand.elements() == 1 ? EpilogueOperand.SINGLE : EpilogueOperand.COLUMN);
            views.add(lowering.dense(operand));
        }
        Epilogue epilogue = after == null ? Epilogue.NONE : Epilogue.of(after, kinds);
        Gemm gemm = lowering.environment().gemm();
        int taps = axis.taps();
        var layout = Layout.forAllShapes(gemm.packedLayout() + " of the transpose", gemm.packedBytes(taps, channels));
        View packed = weights.packed(
                layout, (plain, bias, target) -> gemm.packTransposed(plain, taps, taps, channels, target));
        View from = lowering.dense(in);
        View to = lowering.allocate(result.type(), Shape.of(batch, axis.out(), channels));
        lowering.provide(result, to.transposed(new int[] {0, 2, 1}));
        var reads = new ArrayList<>(views);
        reads.add(from);
        reads.add(packed);
        int width = lowering.width();
        lowering.add(ProgramStep.of(() -> text(after), result.name())
                .reading(reads)
                .writing(to)
                .work(batch * axis.out() * taps * channels)
                .repeating()
                .calling(memory -> {
                    GemmProduct product = product(memory, from, packed, epilogue, views, to);
                    MemorySegment own = OwnMemory.allocate(gemm.ownBytes(taps, true, width), ALIGNMENT);
                    return gemm.bind(product, own, width)::run;
                }));
        return true;
    }

    private String text(@Nullable Expr after) {
        String shape = batch + "x" + axis.out() + "x" + axis.taps() + "x" + channels;
        return "gemm of windows " + shape + (after == null ? "" : " then " + ExprText.print(after));
    }

    private GemmProduct product(
            RunMemory memory, View from, View packed, Epilogue epilogue, List<View> views, View to) {
        Matrix[] operands =
                views.stream().map(view -> Matrix.rows(memory.segment(view), 0)).toArray(Matrix[]::new);
        Matrix windows = Matrix.windows(memory.segment(from), axis.stride());
        return GemmProduct.builder(axis.out(), channels, axis.taps(), windows, Matrix.packed(memory.segment(packed)))
                .writing(Matrix.rows(memory.segment(to), channels))
                .then(epilogue, operands)
                .batch(batch == 1 ? Batch.ONE : Batch.of(batch, axis.in(), 0, axis.out() * channels))
                .build();
    }
}
