package dev.millrace.kernels.expression;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.cast.LaneNumbers;
import org.jspecify.annotations.Nullable;

/**
 * f(block): in each row, {@code out[i] = expression(in0[i], ...)}. The operands of the rows are the output, then inputs
 * 0 to 3.
 */
public final class ElementwiseFamily implements KernelFamily {
    public static final String NAME = "elementwise";
    private static final String EXPRESSION = "expr";
    private static final String OUTPUT = "out";
    private static final String STREAMED = "streamed";
    /** Vectors in a step of an expression that is little more than loads and a store. */
    private static final int CHEAP_STEP = 4;

    /** @param streamed whether the rows of the output are aligned to vectors, and are written past the caches */
    public static KernelKey key(Expr expression, DataType out, boolean streamed) {
        return KernelKey.of(NAME)
                .with(EXPRESSION, ExprText.print(expression))
                .with(OUTPUT, out)
                .with(STREAMED, streamed ? 1 : 0);
    }

    static boolean canStream(DataType out) {
        return out.bytes() == Integer.BYTES;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(EXPRESSION, OUTPUT, STREAMED);
        DataType out = key.oneOf(OUTPUT, DataType.values());
        Expr expression = ExprText.parse(key, EXPRESSION).to(out.kind());
        boolean streamed = key.number(STREAMED, 0, canStream(out) ? 1 : 0) == 1;
        return new Writer(new ProgramBuilder(key.toString(), target), expression, out, streamed).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final DataType out;
        private final boolean streamed;
        private final ExprRows values;

        Writer(ProgramBuilder builder, Expr expression, DataType out, boolean streamed) {
            this.builder = builder;
            this.out = out;
            this.streamed = streamed;
            values = new ExprRows(builder, expression);
        }

        Program program() {
            return values.program(() -> values.overRow(values.isCheap() ? CHEAP_STEP : 1, this::vector));
        }

        private void vector(@Nullable MaskVar mask, int number) {
            VectorVar result = values.value(mask, number);
            Address to = values.result(out.bytes(), number * builder.target().lanes());
            if (streamed && mask == null) {
                builder.stream(to, result);
            } else {
                LaneNumbers.store(builder, out.numbers(), to, result, mask);
            }
        }
    }
}
