package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.asm.Assembler;
import dev.millrace.codegen.asm.Cond;
import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.asm.Imm;
import dev.millrace.codegen.asm.Label;
import dev.millrace.codegen.asm.Mem;
import dev.millrace.codegen.asm.Op;
import dev.millrace.codegen.asm.Operand;
import dev.millrace.codegen.asm.ScalarOps;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.StepVisitor;
import java.util.List;

/** Emits the frame of a function, scalar steps, loops and conditions; counts the steps as {@link Lifetimes} does. */
abstract class ScalarEmitter implements StepVisitor {
    private static final int LOOP_ALIGNMENT = 32;

    protected final Assembler assembler;
    protected final Registers registers;
    private int number = 1;
    private boolean fenced;

    ScalarEmitter(Assembler assembler, Registers registers) {
        this.assembler = assembler;
        this.registers = registers;
    }

    final void emit(Op op, Operand... operands) {
        assembler.emit(op, operands);
    }

    /** The number of the step that is being emitted. */
    final int number() {
        return number;
    }

    final Gpr scalar(ScalarVar variable) {
        return Gpr.of(registers.of(variable));
    }

    /** Requests a fence at the end of the function, after which other threads see streaming stores in order. */
    final void fenceAtEnd() {
        fenced = true;
    }

    final void function(Program program) {
        int saved = registers.usedScalars() & Registers.CALLEE_SAVED;
        for (int i = 0; i < 16; i++) {
            if ((saved >> i & 1) != 0) {
                emit(ScalarOps.PUSH, Gpr.of(i));
            }
        }
        all(program.steps());
        for (int i = 15; i >= 0; i--) {
            if ((saved >> i & 1) != 0) {
                emit(ScalarOps.POP, Gpr.of(i));
            }
        }
        if (fenced) {
            emit(ScalarOps.SFENCE);
        }
        emit(ScalarOps.VZEROUPPER);
        emit(ScalarOps.RET);
    }

    private void all(List<Step> steps) {
        for (Step step : steps) {
            step.accept(this);
            if (!(step instanceof Step.If)) {
                number++;
            }
        }
    }

    @Override
    public void scalarCopy(Step.ScalarCopy step) {
        Gpr to = scalar(step.to());
        if (step.from() != null) {
            copy(to, scalar(step.from()));
        } else if (step.constant() == 0) {
            emit(ScalarOps.XOR, to.dword(), to.dword());
        } else if (step.constant() == (int) step.constant()) {
            emit(ScalarOps.MOV, to, Imm.of(step.constant()));
        } else {
            emit(ScalarOps.MOVABS, to, Imm.of(step.constant()));
        }
    }

    private void copy(Gpr to, Gpr from) {
        if (to.number() != from.number()) {
            emit(ScalarOps.MOV, to, from);
        }
    }

    private static Op op(ScalarOp op) {
        return switch (op) {
            case ADD -> ScalarOps.ADD;
            case SUB -> ScalarOps.SUB;
            case MUL -> ScalarOps.IMUL;
            case AND -> ScalarOps.AND;
            case SHL -> ScalarOps.SHL;
            case SHR -> ScalarOps.SHR;
            case MIN -> ScalarOps.CMOVG;
            case MAX -> ScalarOps.CMOVL;
        };
    }

    @Override
    public void scalar(Step.Scalar step) {
        Gpr to = scalar(step.to());
        Gpr a = scalar(step.a());
        if (step.op() == ScalarOp.MIN || step.op() == ScalarOp.MAX) {
            choose(step, to, a);
            return;
        }
        if (step.b() == null) {
            withConstant(step.op(), to, a, step.constant());
            return;
        }
        Gpr b = scalar(step.b());
        if (step.op() == ScalarOp.ADD && !to.equals(a) && !to.equals(b)) {
            emit(ScalarOps.LEA, to, Mem.at(a, b, 1, 0));
        } else if (to.equals(b) && !to.equals(a)) {
            emit(ScalarOps.MOV, Registers.SCRATCH, a);
            emit(op(step.op()), Registers.SCRATCH, b);
            emit(ScalarOps.MOV, to, Registers.SCRATCH);
        } else {
            copy(to, a);
            emit(op(step.op()), to, b);
        }
    }

    /** Emits a minimum or maximum by a conditional move of the second operand. */
    private void choose(Step.Scalar step, Gpr to, Gpr a) {
        Gpr first = a;
        Gpr second = Registers.SCRATCH;
        if (step.b() == null) {
            emit(ScalarOps.MOV, second, Imm.of(step.constant()));
        } else {
            second = scalar(step.b());
        }
        if (to.equals(second)) {
            second = a;
            first = to;
        }
        copy(to, first);
        emit(ScalarOps.CMP, to, second);
        emit(op(step.op()), to, second);
    }

    private void withConstant(ScalarOp op, Gpr to, Gpr a, int constant) {
        if (op == ScalarOp.MUL) {
            emit(ScalarOps.IMUL, to, a, Imm.of(constant));
        } else if (op == ScalarOp.ADD && !to.equals(a)) {
            emit(ScalarOps.LEA, to, Mem.at(a, constant));
        } else {
            copy(to, a);
            emit(op(op), to, Imm.of(constant));
        }
    }

    @Override
    public void loop(Step.Loop step) {
        Gpr counter = scalar(step.counter());
        Imm by = Imm.of(step.step());
        Label end = new Label();
        emit(ScalarOps.CMP, counter, by);
        assembler.jump(Cond.LESS, end);
        assembler.align(LOOP_ALIGNMENT);
        Label top = assembler.here();
        number++;
        all(step.body());
        emit(ScalarOps.SUB, counter, by);
        if (step.step() > 1) {
            emit(ScalarOps.CMP, counter, by);
            assembler.jump(Cond.GREATER_OR_EQUAL, top);
        } else {
            assembler.jump(Cond.GREATER, top);
        }
        assembler.bind(end);
    }

    @Override
    public void branch(Step.If step) {
        Gpr value = scalar(step.value());
        Label otherwise = new Label();
        emit(ScalarOps.TEST, value, value);
        assembler.jump(Cond.EQUAL, otherwise);
        number++;
        all(step.then());
        if (step.otherwise().isEmpty()) {
            assembler.bind(otherwise);
            return;
        }
        Label end = new Label();
        assembler.jump(end);
        assembler.bind(otherwise);
        all(step.otherwise());
        assembler.bind(end);
    }
}
