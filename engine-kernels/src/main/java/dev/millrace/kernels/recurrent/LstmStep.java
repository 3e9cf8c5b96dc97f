package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;

/**
 * f(arguments): cells and states of some rows from their gates. Gates are input, output, forget and cell; the second
 * row has the peepholes of the first three; the other numbers are the cells. The arguments are those of
 * {@link GateArguments}.
 */
public final class LstmStep implements KernelFamily {
    public static final String NAME = "recurrent.lstm";
    private static final int INPUT = 0;
    private static final int OUTPUT = 1;
    private static final int FORGET = 2;
    private static final int CELL = 3;

    /**
     * One member of the family.
     *
     * @param f of the gates
     * @param g of the new cell
     * @param h of the cell, for the state
     * @param peepholes whether gates see the cell
     * @param clipped whether what goes into f and g is clipped
     * @param coupled whether what is forgotten is what is not taken in
     */
    public record Variant(Expr f, Expr g, Expr h, boolean peepholes, boolean clipped, boolean coupled) {
        public KernelKey key() {
            KernelKey key = KernelKey.of(NAME)
                    .with("peepholes", peepholes ? 1 : 0)
                    .with("clipped", clipped ? 1 : 0)
                    .with("coupled", coupled ? 1 : 0);
            return GateKey.with(GateKey.with(GateKey.with(key, "f", f), "g", g), "h", h);
        }

        static Variant of(KernelKey key) {
            key.onlyHas("f", "g", "h", "peepholes", "clipped", "coupled");
            return new Variant(
                    GateKey.activation(key, "f"),
                    GateKey.activation(key, "g"),
                    GateKey.activation(key, "h"),
                    key.number("peepholes", 0, 1) == 1,
                    key.number("clipped", 0, 1) == 1,
                    key.number("coupled", 0, 1) == 1);
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        Variant variant = Variant.of(key);
        GateLoop loop = new GateLoop(key.toString(), target, variant.clipped());
        return loop.program(() -> write(loop, variant));
    }

    private static void write(GateLoop loop, Variant variant) {
        ProgramBuilder builder = loop.builder();
        VectorVar before = loop.other();
        VectorVar input = loop.activate(variant.f(), seen(loop, variant, INPUT, before));
        VectorVar taken = builder.mul(input, loop.activate(variant.g(), loop.gate(CELL)));
        VectorVar forget = variant.coupled()
                ? builder.sub(Constant.of(1), input)
                : loop.activate(variant.f(), seen(loop, variant, FORGET, before));
        VectorVar cell = builder.multiplyAdd(forget, before, taken);
        loop.setOther(cell);
        VectorVar output = loop.activate(variant.f(), seen(loop, variant, OUTPUT, cell));
        loop.setState(builder.mul(output, loop.apply(variant.h(), cell)));
    }

    private static VectorVar seen(GateLoop loop, Variant variant, int gate, VectorVar cell) {
        VectorVar value = loop.gate(gate);
        return variant.peepholes() ? loop.builder().multiplyAdd(loop.second(gate), cell, value) : value;
    }
}
