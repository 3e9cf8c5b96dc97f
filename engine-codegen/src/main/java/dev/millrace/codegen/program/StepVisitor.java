package dev.millrace.codegen.program;

/** One method for each kind of step. A new kind breaks every lowering at compile time, as it should. */
public interface StepVisitor {
    void unary(Step.Unary step);

    void binary(Step.Binary step);

    void wide(Step.Wide step);

    void multiplyAdd(Step.MultiplyAdd step);

    void compare(Step.Compare step);

    void select(Step.Select step);

    void load(Step.Load step);

    void spread(Step.Spread step);

    void store(Step.Store step);

    void storePart(Step.StorePart step);

    void reduce(Step.Reduce step);

    void prefixMask(Step.FirstLanes step);

    void movemask(Step.LaneBits step);

    void dot(Step.Dot step);

    void permute(Step.Permute step);

    void gather(Step.Gather step);

    void spreadScalar(Step.SpreadScalar step);

    void scalarLoad(Step.ScalarLoad step);

    void move(Step.Move step);

    void prefetch(Step.Prefetch step);

    void scalar(Step.Scalar step);

    void scalarCopy(Step.ScalarCopy step);

    void loop(Step.Loop step);

    void branch(Step.If step);
}
