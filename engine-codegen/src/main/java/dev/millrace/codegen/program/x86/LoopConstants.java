package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.program.AccessVisitor;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.Variable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds the constants that loops use, the most used first: those worth a register. */
final class LoopConstants extends AccessVisitor {
    private final Map<Integer, Integer> uses = new LinkedHashMap<>();
    private int depth;

    private LoopConstants() {}

    static List<Constant> of(Program program) {
        LoopConstants finder = new LoopConstants();
        for (Step step : program.steps()) {
            step.accept(finder);
        }
        List<Constant> constants = new ArrayList<>();
        while (!finder.uses.isEmpty()) {
            int best = 0;
            int most = -1;
            for (Map.Entry<Integer, Integer> entry : finder.uses.entrySet()) {
                if (entry.getValue() > most) {
                    most = entry.getValue();
                    best = entry.getKey();
                }
            }
            finder.uses.remove(best);
            constants.add(Constant.ofBits(best));
        }
        return constants;
    }

    private void use(ProgramValue value) {
        if (depth > 0 && value instanceof Constant constant) {
            uses.put(constant.bits(), uses.getOrDefault(constant.bits(), 0) + 1);
        }
    }

    @Override
    protected void read(Variable variable) {}

    @Override
    protected void write(Variable variable) {}

    /** A zero is as cheap to make as to copy. */
    @Override
    public void unary(Step.Unary step) {
        boolean zero = step.op() == UnaryOp.COPY && step.a() instanceof Constant constant && constant.isZero();
        if (!zero) {
            use(step.a());
        }
    }

    @Override
    public void binary(Step.Binary step) {
        use(step.a());
        if (!step.op().isShift()) {
            use(step.b());
        }
    }

    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        use(step.a());
        use(step.b());
        use(step.c());
    }

    @Override
    public void compare(Step.Compare step) {
        use(step.a());
        use(step.b());
    }

    @Override
    public void select(Step.Select step) {
        use(step.then());
        use(step.otherwise());
    }

    @Override
    public void dot(Step.Dot step) {
        use(step.a());
        use(step.b());
    }

    @Override
    public void loop(Step.Loop step) {
        depth++;
        super.loop(step);
        depth--;
    }
}
