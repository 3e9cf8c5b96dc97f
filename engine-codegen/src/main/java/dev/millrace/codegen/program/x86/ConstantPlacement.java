package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.StepVisitor;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rewrites a program so that constants stand only where an instruction can read them from memory, and so that chosen
 * ones are held in registers from the start.
 */
final class ConstantPlacement implements StepVisitor {
    private final Map<Integer, VectorVar> held = new HashMap<>();
    private List<Step> out = new ArrayList<>();
    private int variables;
    /** Whether any step of the list that is being written is another one than before. */
    private boolean changed;

    private ConstantPlacement(int variables) {
        this.variables = variables;
    }

    /** @param hold the constants to keep in registers */
    static Program apply(Program program, List<Constant> hold) {
        ConstantPlacement placement = new ConstantPlacement(program.variables());
        for (Constant constant : hold) {
            placement.held.put(constant.bits(), placement.inRegister(constant));
        }
        for (Step step : program.steps()) {
            step.accept(placement);
        }
        if (!placement.changed) {
            return program;
        }
        return new Program(
                program.name(),
                program.target(),
                program.parameters(),
                placement.variables,
                List.copyOf(placement.out));
    }

    private VectorVar inRegister(ProgramValue value) {
        if (value instanceof VectorVar variable) {
            return variable;
        }
        VectorVar variable = new VectorVar(variables++, "c");
        out.add(new Step.Unary(UnaryOp.COPY, variable, value));
        changed = true;
        return variable;
    }

    private ProgramValue placed(ProgramValue value) {
        if (held.isEmpty() || !(value instanceof Constant constant)) {
            return value;
        }
        VectorVar register = held.get(constant.bits());
        return register == null ? value : register;
    }

    private void replace(Step step) {
        out.add(step);
        changed = true;
    }

    @Override
    public void unary(Step.Unary step) {
        ProgramValue a = placed(step.a());
        if (a == step.a()) {
            out.add(step);
        } else {
            replace(new Step.Unary(step.op(), step.to(), a));
        }
    }

    /** Only the second operand can be in memory. */
    @Override
    public void binary(Step.Binary step) {
        ProgramValue a = placed(step.a());
        ProgramValue b = step.op().isShift() ? step.b() : placed(step.b());
        if (step.op().wantsRegisters()) {
            a = inRegister(a);
            b = inRegister(b);
        } else if (a instanceof Constant && b instanceof VectorVar && step.op().commutative()) {
            ProgramValue first = a;
            a = b;
            b = first;
        } else {
            a = inRegister(a);
        }
        if (a == step.a() && b == step.b()) {
            out.add(step);
        } else {
            replace(new Step.Binary(step.op(), step.to(), a, b));
        }
    }

    @Override
    public void wide(Step.Wide step) {
        out.add(step);
    }

    /** Only one of the three can be in memory. */
    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        ProgramValue a = placed(step.a());
        ProgramValue b = placed(step.b());
        ProgramValue c = placed(step.c());
        if (a instanceof Constant && (b instanceof Constant || c instanceof Constant)) {
            a = inRegister(a);
        }
        if (b instanceof Constant && c instanceof Constant) {
            b = inRegister(b);
        }
        if (a == step.a() && b == step.b() && c == step.c()) {
            out.add(step);
        } else {
            replace(new Step.MultiplyAdd(step.negated(), step.to(), a, b, c));
        }
    }

    @Override
    public void compare(Step.Compare step) {
        ProgramValue a = inRegister(placed(step.a()));
        ProgramValue b = placed(step.b());
        if (a == step.a() && b == step.b()) {
            out.add(step);
        } else {
            replace(new Step.Compare(step.op(), step.to(), a, b));
        }
    }

    /** Only what is taken under the mask can be in memory. */
    @Override
    public void select(Step.Select step) {
        VectorVar otherwise = inRegister(placed(step.otherwise()));
        ProgramValue then = placed(step.then());
        if (then == step.then() && otherwise == step.otherwise()) {
            out.add(step);
        } else {
            replace(new Step.Select(step.to(), step.mask(), then, otherwise));
        }
    }

    @Override
    public void load(Step.Load step) {
        out.add(step);
    }

    @Override
    public void spread(Step.Spread step) {
        out.add(step);
    }

    @Override
    public void store(Step.Store step) {
        out.add(step);
    }

    @Override
    public void storePart(Step.StorePart step) {
        out.add(step);
    }

    @Override
    public void reduce(Step.Reduce step) {
        out.add(step);
    }

    @Override
    public void prefixMask(Step.FirstLanes step) {
        out.add(step);
    }

    @Override
    public void movemask(Step.LaneBits step) {
        out.add(step);
    }

    @Override
    public void dot(Step.Dot step) {
        ProgramValue a = inRegister(placed(step.a()));
        ProgramValue b = inRegister(placed(step.b()));
        if (a == step.a() && b == step.b()) {
            out.add(step);
        } else {
            replace(new Step.Dot(step.op(), step.to(), a, b));
        }
    }

    @Override
    public void permute(Step.Permute step) {
        out.add(step);
    }

    @Override
    public void gather(Step.Gather step) {
        out.add(step);
    }

    @Override
    public void spreadScalar(Step.SpreadScalar step) {
        out.add(step);
    }

    @Override
    public void scalarLoad(Step.ScalarLoad step) {
        out.add(step);
    }

    @Override
    public void move(Step.Move step) {
        out.add(step);
    }

    @Override
    public void prefetch(Step.Prefetch step) {
        out.add(step);
    }

    @Override
    public void scalar(Step.Scalar step) {
        out.add(step);
    }

    @Override
    public void scalarCopy(Step.ScalarCopy step) {
        out.add(step);
    }

    @Override
    public void loop(Step.Loop step) {
        List<Step> body = nested(step.body());
        if (body == step.body()) {
            out.add(step);
        } else {
            replace(new Step.Loop(step.counter(), step.step(), body));
        }
    }

    @Override
    public void branch(Step.If step) {
        List<Step> then = nested(step.then());
        List<Step> otherwise = nested(step.otherwise());
        if (then == step.then() && otherwise == step.otherwise()) {
            out.add(step);
        } else {
            replace(new Step.If(step.value(), then, otherwise));
        }
    }

    private List<Step> nested(List<Step> body) {
        List<Step> outer = out;
        boolean outerChanged = changed;
        out = new ArrayList<>(body.size());
        changed = false;
        for (Step step : body) {
            step.accept(this);
        }
        List<Step> inner = changed ? List.copyOf(out) : body;
        out = outer;
        changed = outerChanged;
        return inner;
    }
}
