package dev.millrace.providers.simd.rule.conv;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.image.ImageEpilogues;
import dev.millrace.providers.simd.lower.FusionRoot;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A convolution whose results lie in blocks of channels, and may be followed by an expression of them and a residual. */
abstract class ImageRoot implements FusionRoot {
    private final PartitionCompiler lowering;

    ImageRoot(PartitionCompiler lowering) {
        this.lowering = lowering;
    }

    final PartitionCompiler lowering() {
        return lowering;
    }

    @Override
    public int mostOperands() {
        return 1;
    }

    @Override
    public boolean takes(ValueState operand, ValueState result) {
        return operand.isFloat() && result.isFloat() && operand.shape().equals(result.shape());
    }

    @Override
    public boolean emit(ValueState result, @Nullable Expr after, List<ValueState> operands) {
        if (!result.isFloat() || after != null && after.kind() != Kind.FLOAT) {
            return false;
        }
        ValueState residual = operands.isEmpty() ? null : operands.getFirst();
        if (after == null) {
            add(result, ImageEpilogues.NONE, null);
            return true;
        }
        try {
            add(result, after, residual);
            return true;
        } catch (IllegalArgumentException _) {
            // the expression wants more registers than the sums leave
            return false;
        }
    }

    /**
     * Adds the step.
     *
     * @throws IllegalArgumentException if a kernel cannot be followed by the expression; nothing was added then
     */
    abstract void add(ValueState result, Expr after, @Nullable ValueState residual);
}
