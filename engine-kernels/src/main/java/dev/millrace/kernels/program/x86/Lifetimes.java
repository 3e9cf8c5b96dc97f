package dev.millrace.kernels.program.x86;

import dev.millrace.kernels.program.AccessVisitor;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Step;
import dev.millrace.kernels.program.Variable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * From where to where each variable of a program must keep its register.
 *
 * <p>Steps are numbered in the order of the program; step n reads at 2n and writes at 2n + 1, so that a result may take
 * the register of an operand that ends there. A loop has a number before its body and one after it. What lives before a
 * loop and is used in it lives to its end.
 */
final class Lifetimes extends AccessVisitor {
    private static final int NEVER = -1;

    private final Temporaries rule;
    private final int[] start;
    private final int[] end;
    private final @Nullable Variable[] variables;
    private final List<List<Integer>> loops = new ArrayList<>();
    private final List<Integer> temporaries = new ArrayList<>();
    private int wanted;
    private List<List<Variable>> starting = List.of();
    private List<List<Variable>> ending = List.of();

    /** How many vector registers a lowering wants for itself in a step. */
    interface Temporaries {
        int wantedBy(Step step);
    }

    private Lifetimes(int count, Temporaries rule) {
        this.rule = rule;
        start = new int[count];
        end = new int[count];
        variables = new Variable[count];
        Arrays.fill(start, NEVER);
        Arrays.fill(end, NEVER);
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
        lifetimes.sort();
        return lifetimes;
    }

    /** How many numbers there are, the one of the arguments, 0, included. */
    int steps() {
        return temporaries.size();
    }

    int temporaries(int number) {
        return temporaries.get(number);
    }

    List<Variable> startingAt(int position) {
        return starting.get(position);
    }

    List<Variable> endingAt(int position) {
        return ending.get(position);
    }

    private void sort() {
        starting = new ArrayList<>();
        ending = new ArrayList<>();
        for (int i = 0; i < 2 * steps(); i++) {
            starting.add(new ArrayList<>());
            ending.add(new ArrayList<>());
        }
        for (int id = 0; id < variables.length; id++) {
            Variable variable = variables[id];
            if (variable != null) {
                starting.get(start[id]).add(variable);
                ending.get(end[id]).add(variable);
            }
        }
    }

    private int number() {
        return temporaries.size();
    }

    private void next() {
        temporaries.add(wanted);
        wanted = 0;
    }

    private void touch(Variable variable, int position) {
        int id = variable.id();
        variables[id] = variable;
        if (start[id] == NEVER) {
            start[id] = position;
        }
        end[id] = Math.max(end[id], position);
        for (List<Integer> loop : loops) {
            loop.add(id);
        }
    }

    @Override
    protected void read(Variable variable) {
        touch(variable, 2 * number());
    }

    @Override
    protected void write(Variable variable) {
        touch(variable, 2 * number() + 1);
    }

    @Override
    protected void after(Step step) {
        wanted = rule.wantedBy(step);
        next();
    }

    @Override
    public void loop(Step.Loop step) {
        List<Integer> used = new ArrayList<>();
        int first = 2 * number();
        loops.add(used);
        read(step.counter());
        next();
        for (Step inner : step.body()) {
            inner.accept(this);
        }
        int last = 2 * number() + 1;
        write(step.counter());
        next();
        loops.removeLast();
        for (int id : used) {
            if (start[id] < first) {
                end[id] = Math.max(end[id], last);
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
