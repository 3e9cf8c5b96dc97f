package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Operand;
import dev.millrace.kernels.intgemm.QuantisedGemm;
import dev.millrace.kernels.intgemm.QuantisedMatrix;
import dev.millrace.kernels.intgemm.QuantisedOutput;
import dev.millrace.kernels.intgemm.QuantisedProduct;
import dev.millrace.kernels.intgemm.QuantisedResult;
import dev.millrace.providers.simd.lower.Anchor;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.program.Memory;
import dev.millrace.providers.simd.program.Step;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A product of bytes with sums of ints, which may be scaled, biased and activated before it is written. */
final class IntegerProductAnchor implements Anchor {
    private final Lowering lowering;
    private final Cell a;
    private final @Nullable Cell zeroOfA;
    private final ByteWeights weights;
    private final Shape out;
    private final long m;
    private final long n;
    private final long k;

    private IntegerProductAnchor(
            Lowering lowering, Cell a, @Nullable Cell zeroOfA, ByteWeights weights, Shape out, long n, long k) {
        this.lowering = lowering;
        this.a = a;
        this.zeroOfA = zeroOfA;
        this.weights = weights;
        this.out = out;
        this.n = n;
        this.k = k;
        m = out.elements() / n;
    }

    /**
     * The product of a value and constant weights.
     *
     * @return null where the shapes are none that kernels multiply
     */
    static @Nullable IntegerProductAnchor of(
            Lowering lowering, Cell a, @Nullable Cell zeroOfA, ByteWeights weights, Shape out) {
        Shape matrix = weights.bytes().shape();
        if (matrix.rank() != 2 || a.shape().rank() < 1 || out.elements() == 0) {
            return null;
        }
        long k = matrix.dim(0);
        long n = matrix.dim(1);
        long m = out.elements() / n;
        boolean zerosFit = zeroOfA == null
                || zeroOfA.elements() == 1
                || zeroOfA.elements() == m && a.shape().rank() == 2;
        boolean fits = zerosFit && k > 0 && a.elements() == m * k;
        return fits ? new IntegerProductAnchor(lowering, a, zeroOfA, weights, out, n, k) : null;
    }

    @Override
    public int mostOperands() {
        return Expr.MAX_INPUTS - 1;
    }

    @Override
    public boolean takes(Cell operand, Cell result) {
        return true;
    }

    private Operand kind(Cell operand) {
        boolean isColumn = operand.elements() == n
                && operand.shape().rank() > 0
                && operand.shape().dimAt(-1) == n
                && out.dimAt(-1) == n;
        return operand.elements() == 1 ? Operand.SINGLE : isColumn ? Operand.COLUMN : Operand.ELEMENT;
    }

    @Override
    public boolean emit(Cell result, @Nullable Expr after, List<Cell> operands) {
        if (after == null) {
            add("s32", result, List.of(), null, Activation.NONE);
            return true;
        }
        ColumnEpilogue epilogue =
                ColumnEpilogue.ofInts(after, operands.stream().map(this::kind).toList());
        if (epilogue == null) {
            return false;
        }
        Cell floats = epilogue.isAll() ? result : lowering.part(result, ElementType.FLOAT, out);
        var scales = new ArrayList<View>();
        for (Expr scale : epilogue.scales()) {
            scales.add(
                    scale instanceof Expr.Literal(int bits, var _)
                            ? Tables.floats(Float.intBitsToFloat(bits))
                            : view(operands, (Expr.Input) scale));
        }
        View bias = epilogue.bias() == null ? null : view(operands, epilogue.bias());
        add(epilogue.bias() + " " + epilogue.activation(), floats, scales, bias, epilogue.activation());
        if (!epilogue.isAll()) {
            var all = new ArrayList<Cell>(List.of(floats));
            all.addAll(operands);
            Expressions.materialise(lowering, result, epilogue.rest(), all);
        }
        return true;
    }

    private View view(List<Cell> operands, Expr.Input input) {
        return lowering.dense(operands.get(input.index() - 1));
    }

    private void add(String what, Cell result, List<View> scales, @Nullable View bias, Activation activation) {
        QuantisedGemm gemm = lowering.kit()
                .driver(QuantisedGemm.class, () -> new QuantisedGemm(lowering.kit().kernels()));
        View left = lowering.dense(a);
        View zero = zeroOfA == null ? null : lowering.dense(zeroOfA);
        View right = weights.packed(gemm, k, n, false);
        boolean columnsFirst = scales.size() == 2 && scales.getFirst().elements() > 1;
        View ofColumns = scales.isEmpty() ? null : columnsFirst ? scales.getFirst() : scales.getLast();
        View ofRows = scales.size() < 2 ? null : columnsFirst ? scales.getLast() : scales.getFirst();
        View to = lowering.allocate(result);
        var reads = new ArrayList<>(List.of(left, right));
        for (View view : Arrays.asList(zero, ofColumns, ofRows, bias)) {
            if (view != null) {
                reads.add(view);
            }
        }
        boolean signed = a.type() == ElementType.INT8;
        boolean ints = to.type() == ElementType.INT32;
        lowering.add(Step.of("gemm.s8 " + m + "x" + k + "x" + n + " " + what, result.name())
                .reading(reads)
                .writing(to)
                .work(m * n * k)
                .calling(memory -> {
                    var factor = new QuantisedMatrix(
                            memory.segment(left), signed, k, segment(memory, zero), segment(memory, ofRows));
                    QuantisedResult c = ints
                            ? QuantisedResult.ints(memory.segment(to), n)
                            : new QuantisedResult(
                                    memory.segment(to),
                                    QuantisedOutput.F32,
                                    n,
                                    segment(memory, ofColumns),
                                    segment(memory, bias),
                                    activation,
                                    0);
                    var product = new QuantisedProduct(factor, memory.segment(right), c, m, n, k);
                    return crew -> gemm.run(product, crew);
                }));
    }

    private static @Nullable MemorySegment segment(Memory memory, @Nullable View view) {
        return view == null ? null : memory.segment(view);
    }
}
