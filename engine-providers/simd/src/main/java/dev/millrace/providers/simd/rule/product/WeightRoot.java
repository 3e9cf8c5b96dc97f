package dev.millrace.providers.simd.rule.product;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.lowp.WeightExtents;
import dev.millrace.kernels.lowp.WeightFormat;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightProduct;
import dev.millrace.providers.simd.lower.FusionRoot;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.ColumnEpilogue;
import dev.millrace.providers.simd.rule.common.Expressions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A product of floats with weights that are stored in fewer bits. */
final class WeightRoot implements FusionRoot {
    private final PartitionCompiler lowering;
    private final ValueState a;
    private final StoredWeights weights;
    private final Shape out;

    WeightRoot(PartitionCompiler lowering, ValueState a, StoredWeights weights, Shape out) {
        this.lowering = lowering;
        this.a = a;
        this.weights = weights;
        this.out = out;
    }

    /** Weights of k rows and n columns, and how they are packed. */
    interface StoredWeights {
        WeightFormat format();

        long k();

        long n();

        /** Whether what is multiplied with them may be rounded to bytes. */
        boolean rounds();

        MemorySegment packed(WeightGemm gemm);
    }

    /** How products name a type of floats, or null where they do not know it. */
    static @Nullable FloatType typeOf(ElementType type) {
        return switch (type) {
            case FLOAT -> FloatType.F32;
            case FLOAT16 -> FloatType.F16;
            case BFLOAT16 -> FloatType.BF16;
            default -> null;
        };
    }

    @Override
    public int mostOperands() {
        return Expr.MAX_INPUTS - 1;
    }

    @Override
    public boolean takes(ValueState operand, ValueState result) {
        return a.isFloat() && result.isFloat();
    }

    private EpilogueOperand kind(ValueState operand) {
        boolean isColumn = operand.isFloat()
                && operand.elements() == weights.n()
                && operand.shape().rank() > 0
                && operand.shape().dimAt(-1) == weights.n();
        return isColumn ? EpilogueOperand.COLUMN : EpilogueOperand.ELEMENT;
    }

    @Override
    public boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands) {
        if (after == null) {
            add(result, null, Activation.NONE);
            return true;
        }
        ColumnEpilogue epilogue =
                ColumnEpilogue.ofFloats(after, operands.stream().map(this::kind).toList(), Activation.ALL);
        ValueState floats = epilogue.isAll() ? result : lowering.part(result, ElementType.FLOAT, out);
        Expr.Input bias = epilogue.bias();
        add(floats, bias == null ? null : lowering.dense(operands.get(bias.index() - 1)), epilogue.activation());
        if (!epilogue.isAll()) {
            var all = new ArrayList<ValueState>(List.of(floats));
            all.addAll(operands);
            Expressions.materialise(lowering, result, epilogue.rest(), all);
        }
        return true;
    }

    private void add(ValueState result, @Nullable View bias, Activation activation) {
        long n = weights.n();
        long k = weights.k();
        long m = out.elements() / n;
        WeightFormat format = weights.format();
        WeightGemm gemm = lowering.environment()
                .driver(format, () -> new WeightGemm(lowering.environment().kernels(), format));
        View left = lowering.dense(a);
        MemorySegment memory = weights.packed(gemm);
        View right = View.dense(Storage.constant(memory), ElementType.UINT8, Shape.of(memory.byteSize()));
        View to = lowering.allocate(result);
        FloatType typeOfA = typeOf(left.type());
        FloatType typeOfC = typeOf(to.type());
        if (typeOfA == null || typeOfC == null) {
            throw new IllegalStateException("a product of floats with other operands");
        }
        var extents = new WeightExtents(m, n, k, typeOfA, typeOfC, weights.rounds());
        String kind = weights.rounds() ? "rounded gemm " : "gemm ";
        lowering.add(ProgramStep.of(() -> kind + format + " " + m + "x" + k + "x" + n + " " + activation, result.name())
                .reading(bias == null ? List.of(left, right) : List.of(left, right, bias))
                .writing(to)
                .work(m * n * k)
                .scratch(gemm.scratchBytes(extents, lowering.width()))
                .repeating()
                .practising()
                .calling(places -> {
                    var product = new WeightProduct(
                            places.segment(left),
                            typeOfA,
                            k,
                            places.segment(right),
                            places.segment(to),
                            typeOfC,
                            n,
                            m,
                            n,
                            k,
                            bias == null ? null : places.segment(bias),
                            activation,
                            weights.rounds());
                    MemorySegment scratch = places.scratch();
                    return crew -> gemm.run(product, scratch, crew);
                }));
    }
}
