package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.lowp.QuantisedOutput;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.providers.simd.lower.FusionRoot;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.ColumnEpilogue;
import dev.millrace.providers.simd.rule.common.Expressions;
import dev.millrace.providers.simd.rule.common.Tables;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Sums of products of bytes as ints, which may be scaled, biased and activated before they are written. */
final class IntegerRoot implements FusionRoot {
    private final PartitionCompiler lowering;
    private final ByteSums sums;

    IntegerRoot(ByteSums sums) {
        lowering = sums.lowering();
        this.sums = sums;
    }

    @Override
    public int mostOperands() {
        return Expr.MAX_INPUTS - 1;
    }

    @Override
    public boolean takes(ValueState operand, ValueState result) {
        return true;
    }

    /** One number times another one, or times one for each column, as scales of both factors are. */
    @Override
    public boolean takesFactorsOf(ValueState operand) {
        List<ValueState> factors = lowering.factors(operand);
        boolean hasOne = factors.stream().anyMatch(factor -> factor.elements() == 1);
        return hasOne
                && factors.stream()
                        .allMatch(factor -> factor.isFloat() && sums.kind(factor) != EpilogueOperand.ELEMENT);
    }

    @Override
    public boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands) {
        if (after == null) {
            sums.add("as ints", result, null, List.of(), _ -> QuantisedResult::ints);
            return true;
        }
        ColumnEpilogue epilogue =
                ColumnEpilogue.ofInts(after, operands.stream().map(sums::kind).toList(), sums.activations());
        if (epilogue == null) {
            return false;
        }
        boolean isAll = epilogue.isAll() && result.type() == ElementType.FLOAT;
        ValueState floats = isAll ? result : lowering.part(result, ElementType.FLOAT, result.shape());
        write(floats, epilogue, operands);
        if (!isAll) {
            var all = new ArrayList<ValueState>(List.of(floats));
            all.addAll(operands);
            Expressions.materialise(lowering, result, epilogue.rest(), all);
        }
        return true;
    }

    private void write(ValueState floats, ColumnEpilogue epilogue, List<ValueState> operands) {
        var scales = new ArrayList<View>();
        for (Expr scale : epilogue.scales()) {
            if (scale instanceof Expr.Literal(int bits, var _)) {
                scales.add(Tables.floats(Float.intBitsToFloat(bits)));
                continue;
            }
            ValueState cell = operands.get(((Expr.Input) scale).index() - 1);
            if (epilogue.scales().size() == 1 && takesFactorsOf(cell)) {
                lowering.factors(cell).forEach(factor -> scales.add(lowering.dense(factor)));
            } else {
                scales.add(lowering.dense(cell));
            }
        }
        // what may be per column comes last
        scales.sort((one, other) -> Long.compare(one.elements(), other.elements()));
        Expr.Input added = epilogue.bias();
        View bias = added == null ? null : lowering.dense(operands.get(added.index() - 1));
        View ofColumns = scales.isEmpty() ? null : scales.getLast();
        View ofRows = scales.size() < 2 ? null : scales.getFirst();
        var reads = new ArrayList<View>();
        if (ofColumns != null) {
            reads.add(ofColumns);
        }
        if (bias != null) {
            reads.add(bias);
        }
        String what = (bias == null ? "scaled " : "scaled, biased ") + epilogue.activation();
        sums.add(what, floats, ofRows, reads, memory -> {
            MemorySegment factors = segment(memory, ofColumns);
            MemorySegment numbers = segment(memory, bias);
            return (data, columns) -> new QuantisedResult(
                    data, QuantisedOutput.F32, columns, factors, numbers, epilogue.activation(), 0, false);
        });
    }

    private static @Nullable MemorySegment segment(RunMemory memory, @Nullable View view) {
        return view == null ? null : memory.segment(view);
    }
}
