package dev.millrace.kernels.gemm;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprInputs;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.expression.Function;
import dev.millrace.kernels.family.KernelKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * What follows the sums of a product before they are written for the last time: an expression over the sum, which is
 * {@code in0}, and further operands, which are {@code in1} and so on. A value: epilogues are built from {@link #NONE} by
 * adding one thing after another.
 */
public final class Epilogue {
    public static final Epilogue NONE = new Epilogue(Expr.input(0), List.of(), Output.F32);

    static final String EXPRESSION = "epilogue";
    static final String OPERANDS = "operands";
    static final String OUTPUT = "output";
    private static final String NO_OPERANDS = "none";
    private static final String SEPARATOR = "+";

    private final Expr expression;
    private final List<Operand> operands;
    private final Output output;
    private final int hash;

    private Epilogue(Expr expression, List<Operand> operands, Output output) {
        this.expression = expression;
        this.operands = List.copyOf(operands);
        this.output = output;
        hash = 31 * (31 * expression.hashCode() + operands.hashCode()) + output.hashCode();
    }

    /** A number per column added, where wanted, then an activation. */
    public static Epilogue of(boolean bias, Activation activation) {
        return (bias ? NONE.plus(Operand.COLUMN) : NONE).then(activation::of);
    }

    /** An expression over {@code in0}, the sum, and {@code in1} and so on, the operands. */
    public static Epilogue of(Expr expression, List<Operand> operands) {
        Epilogue epilogue = new Epilogue(expression, operands, Output.F32);
        epilogue.check();
        return epilogue;
    }

    public Expr expression() {
        return expression;
    }

    /** The operands, {@code in1} first. */
    public List<Operand> operands() {
        return operands;
    }

    public Output output() {
        return output;
    }

    /** A function of what there is so far. */
    public Epilogue then(UnaryOperator<Expr> function) {
        return new Epilogue(function.apply(expression), operands, output);
    }

    /** One more operand, added. */
    public Epilogue plus(Operand operand) {
        return with(operand, Expr::plus);
    }

    /** One more operand, a factor. */
    public Epilogue times(Operand operand) {
        return with(operand, Expr::times);
    }

    /** One more operand, combined with what there is so far. */
    public Epilogue with(Operand operand, Combination combination) {
        List<Operand> more = new ArrayList<>(operands);
        more.add(operand);
        Expr combined = combination.of(expression, Expr.input(more.size()));
        return new Epilogue(combined, more, output);
    }

    public Epilogue clip(float least, float most) {
        return then(x -> Expr.number(most).min(x)).then(x -> Expr.number(least).max(x));
    }

    /**
     * Rounds {@code x / scale}, adds the zero point and writes bytes. The scale and the zero point, as floats, are two
     * more operands.
     */
    public Epilogue quantised(Operand scale, Operand zeroPoint, Output bytes) {
        Epilogue scaled = with(scale, (x, divisor) -> x.over(divisor).apply(Function.ROUND));
        return scaled.plus(zeroPoint).writing(bytes);
    }

    /** The same numbers, written as other elements. */
    public Epilogue writing(Output other) {
        return new Epilogue(expression, operands, other);
    }

    /** Two expressions made one. */
    public interface Combination {
        Expr of(Expr value, Expr operand);
    }

    KernelKey addTo(KernelKey key) {
        StringBuilder names = new StringBuilder();
        for (Operand operand : operands) {
            names.append(names.isEmpty() ? "" : SEPARATOR).append(operand.name().toLowerCase(Locale.ROOT));
        }
        return key.with(EXPRESSION, ExprText.print(expression))
                .with(OPERANDS, names.isEmpty() ? NO_OPERANDS : names.toString())
                .with(OUTPUT, output);
    }

    static Epilogue of(KernelKey key) {
        try {
            List<Operand> operands = new ArrayList<>();
            String names = key.text(OPERANDS);
            if (!names.equals(NO_OPERANDS)) {
                for (String name : names.split("\\+", -1)) {
                    operands.add(KernelKey.of(OPERANDS).with(OPERANDS, name).oneOf(OPERANDS, Operand.values()));
                }
            }
            Epilogue epilogue =
                    new Epilogue(ExprText.parse(key.text(EXPRESSION)), operands, key.oneOf(OUTPUT, Output.values()));
            epilogue.check();
            return epilogue;
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "kernel key " + key + " has a wrong " + EXPRESSION + " or " + OPERANDS + ": " + wrong.getMessage(),
                    wrong);
        }
    }

    private void check() {
        ExprInputs reads = ExprInputs.of(expression);
        if (!reads.singles().isEmpty()) {
            throw new IllegalArgumentException("an epilogue reads single numbers as operands, not as "
                    + reads.singles().iterator().next());
        }
        for (Expr.Input input : reads.inputs()) {
            if (input.index() > operands.size()) {
                throw new IllegalArgumentException(
                        "the epilogue reads operand " + input.index() + " of " + operands.size());
            }
        }
    }

    @Override
    public boolean equals(Object other) {
        return this == other
                || other instanceof Epilogue epilogue
                        && hash == epilogue.hash
                        && output == epilogue.output
                        && operands.equals(epilogue.operands)
                        && expression.equals(epilogue.expression);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    @Override
    public String toString() {
        return ExprText.print(expression) + " of " + operands + " as " + output;
    }
}
