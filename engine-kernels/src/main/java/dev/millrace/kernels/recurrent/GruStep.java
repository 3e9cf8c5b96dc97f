package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;

/**
 * The kernel f(arguments): computes states of some rows from their gates, which are update, reset and hidden. The
 * arguments are those of {@link GateArguments}.
 */
final class GruStep implements KernelFamily {
    static final String NAME = "recurrent.gru";
    private static final int UPDATE = 0;
    private static final int RESET = 1;
    private static final int HIDDEN = 2;

    /** The part of a step that a kernel computes. */
    enum Part {
        /**
         * The whole step: the hidden gate of the second row, which holds the products of the states, is multiplied by
         * the reset gate.
         */
        WHOLE,
        /** The first half: activates update and reset in place, and writes the reset states to the further numbers. */
        GATES,
        /** The second half: the state from activated gates and a hidden gate before its activation. */
        STATE
    }

    /**
     * The parameters of one member of the family.
     *
     * @param f the activation of update and reset
     * @param g the activation of the hidden gate
     * @param clipped whether the inputs of activations are clipped
     */
    record Variant(Part part, Expr f, Expr g, boolean clipped) {
        public KernelKey key() {
            KernelKey key = KernelKey.of(NAME).with("part", part).with("clipped", clipped ? 1 : 0);
            return GateKey.with(GateKey.with(key, "f", f), "g", g);
        }

        static Variant of(KernelKey key) {
            key.onlyHas("part", "f", "g", "clipped");
            return new Variant(
                    key.oneOf("part", Part.values()),
                    GateKey.activation(key, "f"),
                    GateKey.activation(key, "g"),
                    key.number("clipped", 0, 1) == 1);
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        Variant variant = Variant.of(key);
        GateLoop loop = new GateLoop(key.toString(), target, variant.clipped());
        return loop.program(() -> {
            switch (variant.part()) {
                case WHOLE -> whole(loop, variant);
                case GATES -> gates(loop, variant);
                case STATE -> blend(loop, loop.gate(UPDATE), loop.activate(variant.g(), loop.gate(HIDDEN)));
            }
        });
    }

    private static void whole(GateLoop loop, Variant variant) {
        ProgramBuilder builder = loop.builder();
        VectorVar reset = loop.activate(variant.f(), builder.add(loop.gate(RESET), loop.second(RESET)));
        VectorVar hidden =
                loop.activate(variant.g(), builder.multiplyAdd(reset, loop.second(HIDDEN), loop.gate(HIDDEN)));
        VectorVar update = loop.activate(variant.f(), builder.add(loop.gate(UPDATE), loop.second(UPDATE)));
        blend(loop, update, hidden);
    }

    private static void gates(GateLoop loop, Variant variant) {
        VectorVar reset = loop.activate(variant.f(), loop.gate(RESET));
        loop.setOther(loop.builder().mul(reset, loop.state()));
        loop.setGate(UPDATE, loop.activate(variant.f(), loop.gate(UPDATE)));
    }

    /** Writes the state {@code (1 - update) hidden + update state}. */
    private static void blend(GateLoop loop, VectorVar update, VectorVar hidden) {
        ProgramBuilder builder = loop.builder();
        loop.setState(builder.multiplyAdd(update, builder.sub(loop.state(), hidden), hidden));
    }
}
