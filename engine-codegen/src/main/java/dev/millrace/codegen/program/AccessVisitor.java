package dev.millrace.codegen.program;

import org.jspecify.annotations.Nullable;

/**
 * Walks a program in its order and tells which variables each step reads, then which it writes. A loop reads and writes
 * its counter before and after its body.
 */
public abstract class AccessVisitor implements StepVisitor {
    protected abstract void read(Variable variable);

    protected abstract void write(Variable variable);

    /** All accesses of a step without a body have been told. */
    protected void after(Step step) {}

    private void read(ProgramValue value) {
        if (value instanceof VectorVar variable) {
            read((Variable) variable);
        }
    }

    private void read(Address address) {
        read((Variable) address.base());
        readIfPresent(address.index());
    }

    private void readIfPresent(@Nullable Variable variable) {
        if (variable != null) {
            read(variable);
        }
    }

    @Override
    public void unary(Step.Unary step) {
        read(step.a());
        write(step.to());
        after(step);
    }

    @Override
    public void binary(Step.Binary step) {
        read(step.a());
        read(step.b());
        write(step.to());
        after(step);
    }

    @Override
    public void wide(Step.Wide step) {
        read((Variable) step.a());
        read((Variable) step.b());
        write(step.to());
        after(step);
    }

    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        read(step.a());
        read(step.b());
        read(step.c());
        write(step.to());
        after(step);
    }

    @Override
    public void compare(Step.Compare step) {
        read(step.a());
        read(step.b());
        write(step.to());
        after(step);
    }

    @Override
    public void select(Step.Select step) {
        read((Variable) step.mask());
        read(step.then());
        read(step.otherwise());
        write(step.to());
        after(step);
    }

    @Override
    public void load(Step.Load step) {
        read(step.from());
        readIfPresent(step.mask());
        write(step.to());
        after(step);
    }

    @Override
    public void spread(Step.Spread step) {
        read(step.from());
        write(step.to());
        after(step);
    }

    @Override
    public void store(Step.Store step) {
        read(step.to());
        readIfPresent(step.mask());
        read((Variable) step.from());
        after(step);
    }

    @Override
    public void storePart(Step.StorePart step) {
        read(step.to());
        read((Variable) step.from());
        after(step);
    }

    @Override
    public void reduce(Step.Reduce step) {
        read((Variable) step.from());
        write(step.to());
        after(step);
    }

    @Override
    public void prefixMask(Step.FirstLanes step) {
        read((Variable) step.count());
        write(step.to());
        after(step);
    }

    @Override
    public void movemask(Step.LaneBits step) {
        read((Variable) step.from());
        write(step.to());
        after(step);
    }

    @Override
    public void dot(Step.Dot step) {
        read((Variable) step.to());
        read(step.a());
        read(step.b());
        write(step.to());
        after(step);
    }

    @Override
    public void permute(Step.Permute step) {
        read((Variable) step.from());
        write(step.to());
        after(step);
    }

    @Override
    public void gather(Step.Gather step) {
        read((Variable) step.base());
        read((Variable) step.indices());
        readIfPresent(step.mask());
        write(step.to());
        after(step);
    }

    @Override
    public void spreadScalar(Step.SpreadScalar step) {
        read((Variable) step.from());
        write(step.to());
        after(step);
    }

    @Override
    public void scalarLoad(Step.ScalarLoad step) {
        read(step.from());
        write(step.to());
        after(step);
    }

    @Override
    public void move(Step.Move step) {
        read(step.to());
        read(step.from());
        after(step);
    }

    @Override
    public void prefetch(Step.Prefetch step) {
        read(step.at());
        after(step);
    }

    @Override
    public void scalar(Step.Scalar step) {
        read((Variable) step.a());
        readIfPresent(step.b());
        write(step.to());
        after(step);
    }

    @Override
    public void scalarCopy(Step.ScalarCopy step) {
        readIfPresent(step.from());
        write(step.to());
        after(step);
    }

    @Override
    public void loop(Step.Loop step) {
        read((Variable) step.counter());
        for (Step inner : step.body()) {
            inner.accept(this);
        }
        read((Variable) step.counter());
        write(step.counter());
    }

    @Override
    public void branch(Step.If step) {
        read((Variable) step.value());
        for (Step inner : step.then()) {
            inner.accept(this);
        }
        for (Step inner : step.otherwise()) {
            inner.accept(this);
        }
    }
}
