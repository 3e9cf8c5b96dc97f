package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.program.AccessVisitor;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Variable;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The live ranges of a program's variables, during which each must keep its register.
 *
 * <p>Steps are numbered in the order of the program; step n reads at 2n and writes at 2n + 1, so that a result may take
 * the register of an operand that ends there. A loop has a number before its body and one after it. A variable that is
 * live before a loop and used in it is live until its end.
 *
 * <p>It uses plain arrays throughout, since it runs interpreted, at the start of a process.
 */
final class Lifetimes extends AccessVisitor {
    /** The value for no position and no variable. */
    static final int NONE = -1;

    private final Temporaries rule;
    private final int[] start;
    private final int[] end;
    private final @Nullable Variable[] variables;
    private byte[] temporaries = new byte[256];
    private int steps;
    private int wanted;
    private Chains starting = Chains.EMPTY;
    private Chains ending = Chains.EMPTY;

    /** The number of temporary vector registers that a lowering needs in a step. */
    interface Temporaries {
        int wantedBy(Step step);
    }

    /**
     * Linked lists of the variables at each position: the first of each position, and the successor of each variable.
     */
    private record Chains(int[] first, int[] next) {
        static final Chains EMPTY = new Chains(new int[0], new int[0]);

        static Chains of(int[] positionOf, int positions) {
            int[] first = new int[positions];
            int[] next = new int[positionOf.length];
            Arrays.fill(first, NONE);
            for (int id = positionOf.length - 1; id >= 0; id--) {
                int position = positionOf[id];
                if (position != NONE) {
                    next[id] = first[position];
                    first[position] = id;
                }
            }
            return new Chains(first, next);
        }
    }

    private Lifetimes(int count, Temporaries rule) {
        this.rule = rule;
        start = new int[count];
        end = new int[count];
        variables = new Variable[count];
        Arrays.fill(start, NONE);
        Arrays.fill(end, NONE);
    }

    static Lifetimes of(Program program, Temporaries rule) {
        Lifetimes lifetimes = new Lifetimes(program.variables(), rule);
        for (ScalarVar parameter : program.parameters()) {
            lifetimes.touch(parameter, 0);
        }
        lifetimes.next();
        for (Step step : program.steps()) {
            step.accept(lifetimes);
        }
        lifetimes.starting = Chains.of(lifetimes.start, 2 * lifetimes.steps);
        lifetimes.ending = Chains.of(lifetimes.end, 2 * lifetimes.steps);
        return lifetimes;
    }

    /** The number of step numbers, including 0, the one of the arguments. */
    int steps() {
        return steps;
    }

    int temporaries(int number) {
        return temporaries[number];
    }

    /** Returns a variable by its id. */
    Variable variable(int id) {
        return Objects.requireNonNull(variables[id]);
    }

    /** Returns the first variable whose range starts at a position, or {@link #NONE}. */
    int firstStartingAt(int position) {
        return starting.first[position];
    }

    /** The one after it, or {@link #NONE}. */
    int nextStarting(int id) {
        return starting.next[id];
    }

    /** Returns the first variable whose range ends at a position, or {@link #NONE}. */
    int firstEndingAt(int position) {
        return ending.first[position];
    }

    /** The one after it, or {@link #NONE}. */
    int nextEnding(int id) {
        return ending.next[id];
    }

    private void next() {
        if (steps == temporaries.length) {
            temporaries = Arrays.copyOf(temporaries, 2 * steps);
        }
        temporaries[steps++] = (byte) wanted;
        wanted = 0;
    }

    private void touch(Variable variable, int position) {
        int id = variable.id();
        variables[id] = variable;
        if (start[id] == NONE) {
            start[id] = position;
        }
        end[id] = position;
    }

    @Override
    protected void read(Variable variable) {
        touch(variable, 2 * steps);
    }

    @Override
    protected void write(Variable variable) {
        touch(variable, 2 * steps + 1);
    }

    @Override
    protected void after(Step step) {
        wanted = rule.wantedBy(step);
        next();
    }

    @Override
    public void loop(Step.Loop step) {
        int first = 2 * steps;
        read(step.counter());
        next();
        for (Step inner : step.body()) {
            inner.accept(this);
        }
        int last = 2 * steps + 1;
        write(step.counter());
        next();
        for (int id = 0; id < start.length; id++) {
            if (start[id] != NONE && start[id] < first && end[id] >= first) {
                end[id] = last;
            }
        }
    }

    @Override
    public void branch(Step.If step) {
        read(step.value());
        next();
        for (Step inner : step.then()) {
            inner.accept(this);
        }
        for (Step inner : step.otherwise()) {
            inner.accept(this);
        }
    }
}
