package dev.millrace.kernels.expression;

import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** f(out, count, in0, in1, in2, in3): {@code out[i] = expression(in0[i], ...)} for i below count. */
public final class ElementwiseFamily implements KernelFamily {
    private static final String NAME = "elementwise.f32";
    private static final String EXPRESSION = "expr";

    public static KernelKey key(Expr expression) {
        return KernelKey.of(NAME).with(EXPRESSION, ExprText.print(expression));
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(EXPRESSION);
        Expr expression;
        try {
            expression = ExprText.parse(key.text(EXPRESSION));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException(
                    "the parameter " + EXPRESSION + " is wrong: " + wrong.getMessage(), wrong);
        }
        return new Writer(key.toString(), target, expression).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Expr expression;
        private final ExprInputs used;
        private final ScalarVar out;
        private final ScalarVar count;
        private final ScalarVar[] inputs = new ScalarVar[Expr.MAX_INPUTS];
        private final ScalarVar offset;
        private final Map<Expr, VectorVar> singles = new HashMap<>();

        Writer(String name, Target target, Expr expression) {
            this.expression = expression;
            used = ExprInputs.of(expression);
            builder = new ProgramBuilder(name, target);
            out = builder.parameter("out");
            count = builder.parameter("count");
            for (int i = 0; i < inputs.length; i++) {
                inputs[i] = builder.parameter("in" + i);
            }
            offset = builder.scalar("offset");
        }

        Program program() {
            int lanes = builder.target().lanes();
            for (Expr.Single single : used.singles()) {
                singles.put(single, builder.spread(Address.at(inputs[single.index()], 0)));
            }
            builder.set(offset, 0);
            try (var _ = builder.loop(count, lanes)) {
                vector(null);
                builder.scalar(offset, ScalarOp.ADD, offset, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(count)) {
                vector(builder.firstLanes(count));
            }
            return builder.build();
        }

        private void vector(@Nullable MaskVar mask) {
            Map<Expr, VectorVar> values = new HashMap<>(singles);
            for (Expr.Input input : used.inputs()) {
                values.put(input, builder.load(Address.at(inputs[input.index()], offset, 1, 0), mask));
            }
            builder.store(Address.at(out, offset, 1, 0), new ExprWriter(builder, values).write(expression), mask);
        }
    }
}
