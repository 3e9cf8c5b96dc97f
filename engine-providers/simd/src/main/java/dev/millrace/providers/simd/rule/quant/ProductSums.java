package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.lowp.QuantisedGemm;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedProduct;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.ByteWeights;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Products of matrices of bytes. */
final class ProductSums extends ByteSums {
    private final QuantisedGemm gemm;
    private final boolean transposed;
    private final long m;
    private final long n;
    private final long k;

    private ProductSums(
            PartitionCompiler lowering,
            ValueState a,
            @Nullable ValueState zero,
            ByteWeights weights,
            boolean transposed,
            long m) {
        super(lowering, a, zero, weights);
        this.transposed = transposed;
        this.m = m;
        n = weights.bytes().shape().dim(transposed ? 0 : 1);
        k = weights.bytes().shape().dim(transposed ? 1 : 0);
        gemm = lowering.environment()
                .driver(
                        QuantisedGemm.class,
                        () -> new QuantisedGemm(lowering.environment().kernels()));
    }

    /**
     * The product of a value and constant weights, which may be given as their transpose.
     *
     * @return null where the shapes are none that kernels multiply
     */
    static @Nullable ProductSums of(
            PartitionCompiler lowering,
            ValueState a,
            @Nullable ValueState zero,
            ByteWeights weights,
            boolean transposed,
            Shape out) {
        if (weights.bytes().shape().rank() != 2 || a.shape().rank() < 1 || out.elements() == 0) {
            return null;
        }
        long n = weights.bytes().shape().dim(transposed ? 0 : 1);
        var sums = new ProductSums(lowering, a, zero, weights, transposed, out.elements() / n);
        boolean zerosFit = zero == null
                || zero.elements() == 1
                || zero.elements() == sums.m && a.shape().rank() == 2;
        return zerosFit && sums.k > 0 && a.elements() == sums.m * sums.k ? sums : null;
    }

    @Override
    long columns() {
        return n;
    }

    @Override
    List<Activation> activations() {
        return Activation.ALL;
    }

    @Override
    EpilogueOperand kind(ValueState operand) {
        boolean isColumn = operand.elements() == n
                && operand.shape().rank() > 0
                && operand.shape().dimAt(-1) == n;
        return operand.elements() == 1
                ? EpilogueOperand.SINGLE
                : isColumn ? EpilogueOperand.COLUMN : EpilogueOperand.ELEMENT;
    }

    @Override
    View rows() {
        return lowering().dense(in());
    }

    @Override
    View packedWeights() {
        return weights().packed(gemm, k, n, transposed);
    }

    @Override
    View allocate(ElementType type, Shape shape) {
        return lowering().allocate(type, shape);
    }

    @Override
    String description() {
        return "gemm.s8 " + m + "x" + k + "x" + n;
    }

    @Override
    long work() {
        return m * n * k;
    }

    @Override
    long stride() {
        return k;
    }

    @Override
    long scratchBytes(boolean plain, int width) {
        return gemm.scratchBytes(m, k, plain, width);
    }

    @Override
    void run(QuantisedMatrix a, MemorySegment packed, QuantisedResult c, MemorySegment scratch, Parallel parallel) {
        gemm.run(new QuantisedProduct(a, packed, c, m, n, k), scratch, parallel);
    }
}
