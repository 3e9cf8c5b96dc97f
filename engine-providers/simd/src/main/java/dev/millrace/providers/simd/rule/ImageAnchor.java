package dev.millrace.providers.simd.rule;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.image.Activations;
import dev.millrace.providers.simd.lower.Anchor;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A convolution whose results lie in blocks of channels, and may be followed by an expression of them and a residual. */
abstract class ImageAnchor implements Anchor {
    private final Lowering lowering;

    ImageAnchor(Lowering lowering) {
        this.lowering = lowering;
    }

    final Lowering lowering() {
        return lowering;
    }

    @Override
    public int mostOperands() {
        return 1;
    }

    @Override
    public boolean takes(Cell operand, Cell result) {
        return operand.isFloat() && result.isFloat() && operand.shape().equals(result.shape());
    }

    @Override
    public boolean emit(Cell result, @Nullable Expr after, List<Cell> operands) {
        if (!result.isFloat() || after != null && after.kind() != Kind.FLOAT) {
            return false;
        }
        Cell residual = operands.isEmpty() ? null : operands.getFirst();
        if (after == null) {
            add(result, Activations.NONE, null);
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
    abstract void add(Cell result, Expr after, @Nullable Cell residual);
}
