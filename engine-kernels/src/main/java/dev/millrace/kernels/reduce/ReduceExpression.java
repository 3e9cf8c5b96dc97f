package dev.millrace.kernels.reduce;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprRows;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.reduce.ReduceOp.Before;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * f(block): makes one float, or int, of the values of an expression along each row. The operands of the rows are the
 * results, then inputs 0 to 3.
 */
final class ReduceExpression implements KernelFamily {
    static final String NAME = "reduce.expression";
    private static final String EXPRESSION = "expr";
    /** Independent results of one row: what hides the latency of a step. */
    private static final int CHAINS = 4;

    private static final Before[] BEFORE = {Before.NONE, Before.SQUARE, Before.ABS};

    private static final NumberType[] RESULTS = {NumberType.F32, NumberType.S32};

    static KernelKey key(Expr expression, ReduceSteps.Kind kind) {
        return kind.key(NAME).with(EXPRESSION, ExprText.print(expression));
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(EXPRESSION, "type", "combine", "before");
        var kind = ReduceSteps.Kind.of(key, RESULTS, BEFORE);
        Expr expression = ExprText.parse(key, EXPRESSION).to(kind.type().isFloat() ? Kind.FLOAT : Kind.INT);
        return new Writer(new ProgramBuilder(key.toString(), target), expression, kind).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final ExprRows values;
        private final ReduceSteps steps;
        private final List<VectorVar> results = new ArrayList<>();

        Writer(ProgramBuilder builder, Expr expression, ReduceSteps.Kind kind) {
            this.builder = builder;
            values = new ExprRows(builder, expression);
            steps = new ReduceSteps(builder, kind);
        }

        Program program() {
            int chains = values.isCheap() ? CHAINS : 1;
            return values.program(() -> {
                for (int i = 0; i < chains; i++) {
                    results.add(steps.start("result" + i));
                }
                values.overRow(chains, this::vector);
                VectorVar result = steps.acrossLanes(steps.combined(results));
                builder.storeFirst(values.resultRow(), result);
            });
        }

        private void vector(@Nullable MaskVar mask, int number) {
            VectorVar numbers = steps.orNeutral(values.value(mask, number), mask);
            steps.accumulate(results.get(number), numbers, null);
        }
    }
}
