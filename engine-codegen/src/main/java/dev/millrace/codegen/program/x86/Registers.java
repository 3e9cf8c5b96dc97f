package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.asm.Gpr;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.Variable;

/**
 * A real register for each variable, found in one sweep over the program. Nothing is ever spilled: a kernel that needs
 * more registers than there are is refused, since it would be slow, and its tile can be made smaller.
 */
final class Registers {
    /** Free for the lowering itself in each step. */
    static final Gpr SCRATCH = Gpr.RAX;

    /** rbx, rbp, r12 to r15: a function gives them back as it found them. */
    static final int CALLEE_SAVED = 0b1111_0000_0010_1000;
    /** rcx, rdx, rsi, rdi, r8 to r11. */
    private static final int CALLER_SAVED = 0b0000_1111_1100_0110;
    /** rdi, rsi, rdx, rcx, r8, r9. */
    private static final int[] ARGUMENTS = {7, 6, 2, 1, 8, 9};

    private static final int[] NOTHING = {};

    private final Program program;
    private final Lifetimes lifetimes;
    private final RegisterFile scalars = new RegisterFile("general purpose", CALLER_SAVED | CALLEE_SAVED);
    private final RegisterFile vectors;
    private final RegisterFile masks;
    private final int[] assigned;
    private final int[][] temporaries;
    private int usedScalars;

    private Registers(Program program, Lifetimes lifetimes) {
        this.program = program;
        this.lifetimes = lifetimes;
        Target target = program.target();
        vectors = new RegisterFile("vector", (1L << target.vectors()) - 1);
        masks = target.masks() == 0 ? vectors : new RegisterFile("mask", (1L << target.masks()) - 1 << 1);
        assigned = new int[program.variables()];
        temporaries = new int[lifetimes.steps()][];
    }

    /**
     * Assigns registers.
     *
     * @throws IllegalArgumentException if there are too few registers; the message names the kernel
     */
    static Registers assign(Program program, Lifetimes lifetimes) {
        Registers registers = new Registers(program, lifetimes);
        registers.claimArguments();
        for (int number = 0; number < lifetimes.steps(); number++) {
            registers.pass(number);
        }
        return registers;
    }

    int of(Variable variable) {
        return assigned[variable.id()];
    }

    /** The vector registers that a step has for itself, apart from its operands and its result. */
    int[] temporaries(int number) {
        return temporaries[number];
    }

    /** A set of the general purpose registers that variables have. */
    int usedScalars() {
        return usedScalars;
    }

    /** How many vector registers are idle from start to end. */
    int idleVectors() {
        return vectors.neverUsed();
    }

    private RegisterFile file(Variable variable) {
        return variable instanceof ScalarVar ? scalars : variable instanceof MaskVar ? masks : vectors;
    }

    private void claimArguments() {
        for (int i = 0; i < program.parameters().size(); i++) {
            assigned[program.parameters().get(i).id()] = ARGUMENTS[i];
            scalars.claim(ARGUMENTS[i]);
            usedScalars |= 1 << ARGUMENTS[i];
        }
    }

    private void pass(int number) {
        int count = lifetimes.temporaries(number);
        int[] own = count == 0 ? NOTHING : new int[count];
        for (int i = 0; i < count; i++) {
            own[i] = vectors.take(-1L, program.name());
        }
        temporaries[number] = own;
        releaseEndingAt(2 * number);
        for (int id = lifetimes.firstStartingAt(2 * number + 1);
                id != Lifetimes.NONE;
                id = lifetimes.nextStarting(id)) {
            Variable variable = lifetimes.variable(id);
            int register = file(variable).take(CALLER_SAVED, program.name());
            assigned[id] = register;
            if (variable instanceof ScalarVar) {
                usedScalars |= 1 << register;
            }
        }
        for (int register : own) {
            vectors.release(register);
        }
        releaseEndingAt(2 * number + 1);
    }

    private void releaseEndingAt(int position) {
        for (int id = lifetimes.firstEndingAt(position); id != Lifetimes.NONE; id = lifetimes.nextEnding(id)) {
            file(lifetimes.variable(id)).release(assigned[id]);
        }
    }
}
