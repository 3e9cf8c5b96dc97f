package dev.millrace.codegen.program.x86;

import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.StepVisitor;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.Value;
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
        return new Program(
                program.name(),
                program.target(),
                program.parameters(),
                placement.variables,
                List.copyOf(placement.out));
    }

    private VectorVar inRegister(Value value) {
        if (value instanceof VectorVar variable) {
            return variable;
        }
        VectorVar variable = new VectorVar(variables++, "c");
        out.add(new Step.Unary(UnaryOp.COPY, variable, value));
        return variable;
    }

    private Value placed(Value value) {
        VectorVar register = value instanceof Constant constant ? held.get(constant.bits()) : null;
        return register == null ? value : register;
    }

    @Override
    public void unary(Step.Unary step) {
        out.add(new Step.Unary(step.op(), step.to(), placed(step.a())));
    }

    /** Only the second operand can be in memory. */
    @Override
    public void binary(Step.Binary step) {
        Value a = placed(step.a());
        Value b = step.op().isShift() ? step.b() : placed(step.b());
        if (step.op().wantsRegisters()) {
            out.add(new Step.Binary(step.op(), step.to(), inRegister(a), inRegister(b)));
            return;
        }
        if (a instanceof Constant && b instanceof VectorVar && step.op().commutative()) {
            out.add(new Step.Binary(step.op(), step.to(), b, a));
        } else {
            out.add(new Step.Binary(step.op(), step.to(), inRegister(a), b));
        }
    }

    /** Only one of the three can be in memory. */
    @Override
    public void multiplyAdd(Step.MultiplyAdd step) {
        Value a = placed(step.a());
        Value b = placed(step.b());
        Value c = placed(step.c());
        if (a instanceof Constant && (b instanceof Constant || c instanceof Constant)) {
            a = inRegister(a);
        }
        if (b instanceof Constant && c instanceof Constant) {
            b = inRegister(b);
        }
        out.add(new Step.MultiplyAdd(step.negated(), step.to(), a, b, c));
    }

    @Override
    public void compare(Step.Compare step) {
        out.add(new Step.Compare(step.op(), step.to(), inRegister(placed(step.a())), placed(step.b())));
    }

    /** Only what is taken under the mask can be in memory. */
    @Override
    public void select(Step.Select step) {
        VectorVar otherwise = inRegister(placed(step.otherwise()));
        out.add(new Step.Select(step.to(), step.mask(), placed(step.then()), otherwise));
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
    public void storeFirst(Step.StoreFirst step) {
        out.add(step);
    }

    @Override
    public void reduce(Step.Reduce step) {
        out.add(step);
    }

    @Override
    public void firstLanes(Step.FirstLanes step) {
        out.add(step);
    }

    @Override
    public void laneBits(Step.LaneBits step) {
        out.add(step);
    }

    @Override
    public void dot(Step.Dot step) {
        out.add(new Step.Dot(step.op(), step.to(), inRegister(placed(step.a())), inRegister(placed(step.b()))));
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
        out.add(new Step.Loop(step.counter(), step.step(), nested(step.body())));
    }

    @Override
    public void branch(Step.If step) {
        out.add(new Step.If(step.value(), nested(step.then()), nested(step.otherwise())));
    }

    private List<Step> nested(List<Step> body) {
        List<Step> outer = out;
        out = new ArrayList<>();
        for (Step step : body) {
            step.accept(this);
        }
        List<Step> inner = List.copyOf(out);
        out = outer;
        return inner;
    }
}
