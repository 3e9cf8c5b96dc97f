package dev.millrace.codegen.program;

import java.util.BitSet;

/** Refuses programs that read what may not have been written. */
final class ProgramCheck extends AccessVisitor {
    private final Program program;
    private BitSet written = new BitSet();

    private ProgramCheck(Program program) {
        this.program = program;
    }

    static void check(Program program) {
        ProgramCheck check = new ProgramCheck(program);
        for (ScalarVar parameter : program.parameters()) {
            check.write(parameter);
        }
        for (Step step : program.steps()) {
            step.accept(check);
        }
    }

    @Override
    protected void read(Variable variable) {
        if (!written.get(variable.id())) {
            throw new IllegalStateException(
                    "kernel " + program.name() + " reads " + variable + " where it may not have been written");
        }
    }

    @Override
    protected void write(Variable variable) {
        written.set(variable.id());
    }

    /** A body may run zero times: what it writes does not count after it. */
    @Override
    public void loop(Step.Loop step) {
        BitSet before = (BitSet) written.clone();
        super.loop(step);
        written = before;
    }

    @Override
    public void branch(Step.If step) {
        read(step.value());
        BitSet before = (BitSet) written.clone();
        for (Step inner : step.then()) {
            inner.accept(this);
        }
        BitSet afterThen = written;
        written = before;
        for (Step inner : step.otherwise()) {
            inner.accept(this);
        }
        written.and(afterThen);
    }
}
