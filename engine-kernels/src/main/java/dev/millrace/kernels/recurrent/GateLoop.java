package dev.millrace.kernels.recurrent;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The writer of a loop over some units of some rows of a layer, vector by vector. A row of gates has, for each gate, a
 * group with a number for each unit of the layer. A second row has the same form, and all rows may share it. The
 * arguments are those of {@link GateArguments}.
 */
final class GateLoop {
    private final ProgramBuilder builder;
    private final boolean clipped;
    private final ScalarVar arguments;
    private final ScalarVar gates;
    private final ScalarVar second;
    private final ScalarVar group;
    private final ScalarVar group3;
    private final ScalarVar offset;
    private final ScalarVar state;
    private final ScalarVar next;
    private final ScalarVar other;
    private final ScalarVar out;
    private @Nullable MaskVar mask;

    /** The body of the loop for one vector of units. */
    interface Body {
        void write();
    }

    /** @param clipped whether the inputs of activations are clipped */
    GateLoop(String name, Target target, boolean clipped) {
        this.clipped = clipped;
        builder = new ProgramBuilder(name, target);
        arguments = builder.parameter("arguments");
        gates = argument(GateArguments.GATES);
        second = argument(GateArguments.SECOND);
        group = argument(GateArguments.GROUP);
        state = argument(GateArguments.STATE);
        next = argument(GateArguments.NEXT);
        other = argument(GateArguments.OTHER);
        out = argument(GateArguments.OUT);
        group3 = builder.scalar("group3");
        builder.scalar(group3, ScalarOp.MUL, group, 3);
        offset = builder.scalar("offset");
    }

    private ScalarVar argument(int at) {
        return builder.loadLong(Address.at(arguments, at), "argument");
    }

    ProgramBuilder builder() {
        return builder;
    }

    Program program(Body body) {
        int lanes = builder.target().lanes();
        ScalarVar rows = argument(GateArguments.ROWS);
        try (var _ = builder.loop(rows, 1)) {
            ScalarVar left = argument(GateArguments.UNITS);
            builder.set(offset, 0);
            try (var _ = builder.loop(left, lanes)) {
                body.write();
                builder.advance(gates, 4 * lanes);
                builder.advance(second, 4 * lanes);
                builder.advance(offset, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                mask = builder.prefixMask(left);
                body.write();
                mask = null;
            }
            builder.scalar(gates, ScalarOp.SUB, gates, offset);
            builder.scalar(second, ScalarOp.SUB, second, offset);
            builder.advance(gates, argument(GateArguments.GATE_STRIDE));
            builder.advance(second, argument(GateArguments.SECOND_STRIDE));
            builder.advance(state, group);
            builder.advance(next, group);
            builder.advance(other, group);
            builder.advance(out, group);
        }
        return builder.build();
    }

    private Address place(ScalarVar start, int number) {
        return number == 0
                ? Address.at(start, 0)
                : number == 3 ? Address.at(start, group3, 1, 0) : Address.at(start, group, number, 0);
    }

    VectorVar gate(int number) {
        return builder.load(place(gates, number), mask);
    }

    void setGate(int number, VectorVar value) {
        builder.store(place(gates, number), value, mask);
    }

    VectorVar second(int number) {
        return builder.load(place(second, number), mask);
    }

    VectorVar state() {
        return builder.load(Address.at(state, offset, 1, 0), mask);
    }

    /** Writes the new state, which is the output as well. */
    void setState(VectorVar value) {
        builder.store(Address.at(next, offset, 1, 0), value, mask);
        builder.store(Address.at(out, offset, 1, 0), value, mask);
    }

    VectorVar other() {
        return builder.load(Address.at(other, offset, 1, 0), mask);
    }

    void setOther(VectorVar value) {
        builder.store(Address.at(other, offset, 1, 0), value, mask);
    }

    /** Returns the activation of a gate. */
    VectorVar activate(Expr activation, VectorVar x) {
        VectorVar within = x;
        if (clipped) {
            VectorVar high = builder.min(builder.broadcast(Address.at(arguments, GateArguments.CLIP)), x);
            within = builder.max(builder.broadcast(Address.at(arguments, GateArguments.CLIP_BELOW)), high);
        }
        return apply(activation, within);
    }

    /** Returns an activation without clipping. */
    VectorVar apply(Expr activation, VectorVar x) {
        return new ExprWriter(builder, Map.of(Expr.input(0), x)).write(activation);
    }
}
