package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.ByteWeights;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Integer products of bytes by constant weights (matrix products and convolutions): rows of as many columns as there
 * are output channels.
 */
abstract class ByteSums {
    private final PartitionCompiler lowering;
    private final ValueState in;
    private final @Nullable ValueState zero;
    private final ByteWeights weights;

    /** @param zero the zero point of the bytes, or one for each row */
    ByteSums(PartitionCompiler lowering, ValueState in, @Nullable ValueState zero, ByteWeights weights) {
        this.lowering = lowering;
        this.in = in;
        this.zero = zero;
        this.weights = weights;
    }

    final ByteWeights weights() {
        return weights;
    }

    final PartitionCompiler lowering() {
        return lowering;
    }

    final ValueState in() {
        return in;
    }

    /** The number of columns in a row of results. */
    abstract long columns();

    /**
     * Returns how an operand is broadcast to the elements of the result; {@link EpilogueOperand#ELEMENT} where products do not
     * read it.
     */
    abstract EpilogueOperand kind(ValueState operand);

    /** A view of the rows of bytes. */
    abstract View rows();

    abstract View packedWeights();

    /** Allocates memory for a result whose rows are written one after another. */
    abstract View allocate(ElementType type, Shape shape);

    /** A text that names the kernel for readers. */
    abstract String description();

    /** The activations that the kernels can apply to float results. */
    abstract List<Activation> activations();

    abstract long work();

    /** The distance from one row of bytes to the next. */
    abstract long stride();

    /**
     * The bytes of scratch memory that {@link #run} needs.
     *
     * @param plain whether the bytes are unsigned with at most one zero point and scale, and the weights have no zero
     *     points
     */
    abstract long scratchBytes(boolean plain, int width);

    abstract void run(
            QuantisedMatrix in, MemorySegment packed, QuantisedResult out, MemorySegment scratch, Parallel parallel);

    /**
     * Adds the step.
     *
     * @param scale the scale of the rows, or null
     * @param reads further views that the step reads
     * @param out creates the result for the memory of a run
     */
    final void add(
            String what, ValueState result, @Nullable View scale, List<View> reads, Function<RunMemory, Result> out) {
        View left = rows();
        View right = packedWeights();
        View point = zero == null ? null : lowering.dense(zero);
        View to = allocate(result.type(), result.shape());
        lowering.provide(result, to);
        var all = new ArrayList<>(reads);
        all.add(left);
        all.add(right);
        if (point != null) {
            all.add(point);
        }
        if (scale != null) {
            all.add(scale);
        }
        boolean signed = in.type() == ElementType.INT8;
        boolean areForAll = (zero == null || zero.elements() == 1) && (scale == null || scale.elements() == 1);
        boolean plain = !signed && areForAll && weights.areCentred();
        lowering.add(ProgramStep.of(() -> description() + " " + what, result.name())
                .reading(all)
                .writing(to)
                .work(work())
                .scratch(scratchBytes(plain, lowering.width()))
                .repeating(areForAll)
                .practising()
                .calling(memory -> {
                    var bytes = new QuantisedMatrix(
                            memory.segment(left),
                            signed,
                            stride(),
                            point == null ? null : memory.segment(point),
                            scale == null ? null : memory.segment(scale));
                    MemorySegment packed = memory.segment(right);
                    MemorySegment scratch = memory.scratch();
                    QuantisedResult c = out.apply(memory).to(memory.segment(to), columns());
                    return crew -> run(bytes, packed, c, scratch, crew);
                }));
    }

    /** A result whose memory is still to be named. */
    @FunctionalInterface
    interface Result {
        QuantisedResult to(MemorySegment data, long columns);
    }
}
