package dev.millrace.kernels.expression;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.Element;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import dev.millrace.kernels.rowwise.RowLoops;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * f(block): in each row, {@code out[i] = expression(in0[i], ...)}. The operands of the rows are the output, then inputs
 * 0 to 3.
 */
public final class ElementwiseFamily implements KernelFamily {
    private static final String NAME = "elementwise";
    private static final String EXPRESSION = "expr";
    private static final String OUTPUT = "out";
    private static final String STREAMED = "streamed";
    /** Vectors in a step of an expression that is little more than loads and a store. */
    private static final int CHEAP_STEP = 4;

    private static final int CHEAP = 4;

    /** @param streamed whether the rows of the output are aligned to vectors, and are written past the caches */
    public static KernelKey key(Expr expression, DataType out, boolean streamed) {
        return KernelKey.of(NAME)
                .with(EXPRESSION, ExprText.print(expression))
                .with(OUTPUT, out)
                .with(STREAMED, streamed ? 1 : 0);
    }

    static boolean canStream(DataType out) {
        return out.element() == Element.WORD;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(EXPRESSION, OUTPUT, STREAMED);
        DataType out = key.oneOf(OUTPUT, DataType.values());
        Expr expression = parse(key).to(out.kind());
        boolean streamed = key.number(STREAMED, 0, canStream(out) ? 1 : 0) == 1;
        return new Writer(new ProgramBuilder(key.toString(), target), expression, out, streamed).program();
    }

    private static Expr parse(KernelKey key) {
        try {
            return ExprText.parse(key.text(EXPRESSION));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "the parameter " + EXPRESSION + " is wrong: " + wrong.getMessage(), wrong);
        }
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Expr expression;
        private final DataType out;
        private final boolean streamed;
        private final ExprInputs used;
        private final RowLoops rows;
        private final ElementSteps elements;
        private final Map<Expr, VectorVar> singles = new HashMap<>();

        Writer(ProgramBuilder builder, Expr expression, DataType out, boolean streamed) {
            this.builder = builder;
            this.streamed = streamed;
            this.expression = expression;
            this.out = out;
            used = ExprInputs.of(expression);
            rows = new RowLoops(builder, 1 + used.operands());
            elements = new ElementSteps(builder);
        }

        Program program() {
            return rows.program(() -> {
                for (Expr.Single single : used.singles()) {
                    singles.put(single, elements.spread(single.type(), Address.at(rows.start(1 + single.index()), 0)));
                }
                rows.overRow(RegisterNeed.of(expression) <= CHEAP ? CHEAP_STEP : 1, this::vector);
            });
        }

        private void vector(@Nullable MaskVar mask, int number) {
            int plus = number * builder.target().lanes();
            Map<Expr, VectorVar> values = new HashMap<>(singles);
            for (Expr.Input input : used.inputs()) {
                DataType type = input.type();
                values.put(input, elements.load(type, rows.at(1 + input.index(), type.bytes(), plus), mask));
            }
            VectorVar result = new ExprWriter(builder, values).write(expression);
            Address to = rows.at(0, out.bytes(), plus);
            if (streamed && mask == null) {
                builder.stream(to, result);
            } else {
                elements.store(out, to, result, mask);
            }
        }
    }
}
