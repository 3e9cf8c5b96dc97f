package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprInputs;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Operator;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * The epilogue of a product: an expression over the sum, which is {@code in0}, and further operands, which are
 * {@code in1} and so on. It is computed before the final store. A value: epilogues are built from {@link #NONE} by
 * adding one operation after another.
 */
public final class Epilogue {
    public static final Epilogue NONE = new Epilogue(Expr.input(0), List.of(), Output.F32);

    static final String EXPRESSION = "epilogue";
    static final String OPERANDS = "operands";
    static final String OUTPUT = "output";
    private static final String NO_OPERANDS = "none";
    private static final String SEPARATOR = "+";

    private final Expr expression;
    private final List<EpilogueOperand> operands;
    private final Output output;
    /**
     * The text of the expression, for comparisons: comparing records costs a process tens of milliseconds at its first
     * use.
     */
    private final String text;

    private Epilogue(Expr expression, List<EpilogueOperand> operands, Output output) {
        this.expression = expression;
        this.operands = List.copyOf(operands);
        this.output = output;
        text = ExprText.print(expression);
    }

    /** Returns an epilogue that adds a bias per column, if wanted, and applies an activation. */
    public static Epilogue of(boolean bias, Activation activation) {
        Epilogue sum = bias ? NONE.plus(EpilogueOperand.COLUMN) : NONE;
        return new Epilogue(activation.of(sum.expression), sum.operands, Output.F32);
    }

    /** Returns an epilogue from an expression over {@code in0}, the sum, and {@code in1} and so on, the operands. */
    public static Epilogue of(Expr expression, List<EpilogueOperand> operands) {
        Epilogue epilogue = new Epilogue(expression, operands, Output.F32);
        epilogue.check();
        return epilogue;
    }

    public Expr expression() {
        return expression;
    }

    /** The operands, {@code in1} first. */
    public List<EpilogueOperand> operands() {
        return operands;
    }

    public Output output() {
        return output;
    }

    /** Returns this epilogue with a function applied to its result. */
    public Epilogue then(UnaryOperator<Expr> function) {
        return new Epilogue(function.apply(expression), operands, output);
    }

    /** Returns this epilogue with one more operand added to its result. */
    public Epilogue plus(EpilogueOperand operand) {
        return with(operand, Operator.ADD);
    }

    /** Returns this epilogue with its result multiplied by one more operand. */
    public Epilogue times(EpilogueOperand operand) {
        return with(operand, Operator.MUL);
    }

    /** Returns this epilogue with its result combined with one more operand. */
    public Epilogue with(EpilogueOperand operand, Operator operator) {
        List<EpilogueOperand> more = new ArrayList<>(operands);
        more.add(operand);
        return new Epilogue(new Expr.Combine(operator, expression, Expr.input(more.size())), more, output);
    }

    public Epilogue clip(float least, float most) {
        return then(x -> Expr.number(most).min(x)).then(x -> Expr.number(least).max(x));
    }

    /**
     * Returns this epilogue with its result quantised: it rounds {@code x / scale}, adds the zero point and writes
     * bytes. The scale and the zero point, as floats, are two more operands.
     */
    public Epilogue quantised(EpilogueOperand scale, EpilogueOperand zeroPoint, Output bytes) {
        return with(scale, Operator.DIV)
                .then(x -> x.apply(FloatFunction.ROUND))
                .plus(zeroPoint)
                .writing(bytes);
    }

    /** Returns this epilogue with another element type for its results. */
    public Epilogue writing(Output other) {
        return new Epilogue(expression, operands, other);
    }

    /** Whether the sum is written unchanged. */
    boolean isPlain() {
        return operands.isEmpty() && expression instanceof Expr.Input && output == Output.F32;
    }

    KernelKey addTo(KernelKey key) {
        StringBuilder names = new StringBuilder();
        for (EpilogueOperand operand : operands) {
            names.append(names.isEmpty() ? "" : SEPARATOR).append(operand.name().toLowerCase(Locale.ROOT));
        }
        return key.with(EXPRESSION, text)
                .with(OPERANDS, names.isEmpty() ? NO_OPERANDS : names.toString())
                .with(OUTPUT, output);
    }

    static Epilogue of(KernelKey key) {
        try {
            List<EpilogueOperand> operands = new ArrayList<>();
            String names = key.text(OPERANDS);
            if (!names.equals(NO_OPERANDS)) {
                for (String name : names.split("\\+", -1)) {
                    operands.add(KernelKey.of(OPERANDS).with(OPERANDS, name).oneOf(OPERANDS, EpilogueOperand.values()));
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
                        && output == epilogue.output
                        && text.equals(epilogue.text)
                        && operands.equals(epilogue.operands);
    }

    @Override
    public int hashCode() {
        return 31 * text.hashCode() + operands.size();
    }

    @Override
    public String toString() {
        return text + " of " + operands + " as " + output;
    }
}
