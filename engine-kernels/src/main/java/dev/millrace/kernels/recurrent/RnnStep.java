package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.expression.Expr;

/** f(arguments): states of some rows from their only gate. The arguments are those of {@link GateArguments}. */
public final class RnnStep implements KernelFamily {
    public static final String NAME = "recurrent.rnn";

    /**
     * One member of the family.
     *
     * @param f of the gate, for the state
     * @param clipped whether what goes into it is clipped
     */
    public record Variant(Expr f, boolean clipped) {
        public KernelKey key() {
            return GateKey.with(KernelKey.of(NAME).with("clipped", clipped ? 1 : 0), "f", f);
        }

        static Variant of(KernelKey key) {
            key.onlyHas("f", "clipped");
            return new Variant(GateKey.activation(key, "f"), key.number("clipped", 0, 1) == 1);
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        Variant variant = Variant.of(key);
        GateLoop loop = new GateLoop(key.toString(), target, variant.clipped());
        return loop.program(() -> loop.setState(loop.activate(variant.f(), loop.gate(0))));
    }
}
