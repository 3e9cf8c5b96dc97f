package dev.millrace.providers.simd.rule.quant;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.providers.simd.lower.FusionRoot;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.rule.common.ColumnEpilogue;
import dev.millrace.providers.simd.rule.common.Expressions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Floats that are sums of products of bytes, and may become bytes again before they are written. */
final class ScaledRoot implements FusionRoot {
    private final PartitionCompiler lowering;
    private final ScaledSums sums;

    ScaledRoot(ScaledSums sums) {
        lowering = sums.sums().lowering();
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

    @Override
    public boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands) {
        if (after == null) {
            sums.addFloats(result, Activation.NONE);
            return true;
        }
        Requantised bytes = operands.isEmpty() ? Requantised.of(after) : null;
        if (bytes != null && sums.addBytes(result, bytes)) {
            return true;
        }
        List<EpilogueOperand> kinds = Collections.nCopies(operands.size(), EpilogueOperand.ELEMENT);
        ColumnEpilogue epilogue = ColumnEpilogue.ofFloats(after, kinds, Activation.SIMPLE);
        boolean isAll = epilogue.isAll() && result.type() == ElementType.FLOAT;
        ValueState floats = isAll ? result : lowering.part(result, ElementType.FLOAT, result.shape());
        sums.addFloats(floats, epilogue.activation());
        if (!isAll) {
            var all = new ArrayList<ValueState>(List.of(floats));
            all.addAll(operands);
            Expressions.materialise(lowering, result, epilogue.rest(), all);
        }
        return true;
    }
}
