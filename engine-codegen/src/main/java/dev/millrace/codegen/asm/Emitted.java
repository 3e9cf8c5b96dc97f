package dev.millrace.codegen.asm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** An instruction of a listing: either an {@link Op} with operands, or a jump to a label. */
public final class Emitted {
    private final int start;
    private final int end;
    private final @Nullable Op op;
    private final List<Operand> operands;
    private final @Nullable OperandMatch match;
    private final @Nullable Cond condition;
    private final @Nullable Label target;

    private Emitted(
            int start,
            int end,
            @Nullable Op op,
            List<Operand> operands,
            @Nullable OperandMatch match,
            @Nullable Cond condition,
            @Nullable Label target) {
        this.start = start;
        this.end = end;
        this.op = op;
        this.operands = operands;
        this.match = match;
        this.condition = condition;
        this.target = target;
    }

    static Emitted instruction(int start, int end, Op op, Operand[] operands, OperandMatch match) {
        return new Emitted(start, end, op, List.of(operands), match, null, null);
    }

    static Emitted jump(int start, int end, @Nullable Cond condition, Label target) {
        return new Emitted(start, end, null, List.of(), null, condition, target);
    }

    /** The offset of the first byte in the code. */
    public int start() {
        return start;
    }

    /** The offset after the last byte. */
    public int end() {
        return end;
    }

    /** The operation; null for a jump. */
    public @Nullable Op op() {
        return op;
    }

    public List<Operand> operands() {
        return operands;
    }

    /** The condition of a jump; null for an instruction and for a jump that is always taken. */
    public @Nullable Cond condition() {
        return condition;
    }

    /** The target of a jump; null for an instruction. */
    public @Nullable Label target() {
        return target;
    }

    @Nullable
    OperandMatch match() {
        return match;
    }

    /** Returns the instruction in Intel's syntax as GNU objdump prints it. The labels must be bound. */
    @Override
    public String toString() {
        return Printer.print(this);
    }
}
