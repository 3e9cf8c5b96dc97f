package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.AccessVisitor;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Variable;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;

/** The variables that some steps read and write. */
final class Accesses extends AccessVisitor {
    private final TreeMap<Integer, Variable> all = new TreeMap<>();
    private final BitSet written = new BitSet();

    static Accesses of(List<Step> steps) {
        Accesses accesses = new Accesses();
        for (Step step : steps) {
            step.accept(accesses);
        }
        return accesses;
    }

    @Override
    protected void read(Variable variable) {
        all.put(variable.id(), variable);
    }

    @Override
    protected void write(Variable variable) {
        all.put(variable.id(), variable);
        written.set(variable.id());
    }

    /** The variables in the order of their ids. */
    Collection<Variable> all() {
        return all.values();
    }

    boolean writes(Variable variable) {
        return written.get(variable.id());
    }
}
