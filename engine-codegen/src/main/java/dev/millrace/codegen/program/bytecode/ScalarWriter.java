package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.StepVisitor;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Writes scalar steps, loops and conditions as bytecode on longs. */
abstract class ScalarWriter implements StepVisitor {
    private static final ClassDesc MATH = VectorCode.desc(Math.class);
    private static final MethodTypeDesc OF_TWO_LONGS =
            MethodTypeDesc.of(ConstantDescs.CD_long, ConstantDescs.CD_long, ConstantDescs.CD_long);

    final VectorCode vectors;
    final CodeBuilder code;

    ScalarWriter(VectorCode vectors) {
        this.vectors = vectors;
        code = vectors.raw();
    }

    final void all(List<Step> steps) {
        for (Step step : steps) {
            step.accept(this);
        }
    }

    final void pushAddress(Address address) {
        vectors.push(address.base());
        ScalarVar index = address.index();
        if (index != null) {
            vectors.push(index);
            if (address.scale() > 1) {
                code.loadConstant((long) address.scale()).lmul();
            }
            code.ladd();
        }
        if (address.displacement() != 0) {
            code.loadConstant((long) address.displacement()).ladd();
        }
    }

    @Override
    public void scalarLoad(Step.ScalarLoad step) {
        if (step.wide()) {
            read("JAVA_LONG_UNALIGNED", ValueLayout.OfLong.class, ConstantDescs.CD_long, step.from());
        } else {
            readInt(step.from());
            code.i2l();
        }
        vectors.set(step.to());
    }

    /** The JVM must inline what reads memory, however large the code is: it does so for this method of its own. */
    private void read(String layout, Class<?> layoutType, ClassDesc result, Address from) {
        ClassDesc type = VectorCode.desc(layoutType);
        vectors.pushAllMemory();
        code.getstatic(VectorCode.desc(ValueLayout.class), layout, type);
        pushAddress(from);
        MethodTypeDesc get = MethodTypeDesc.of(result, type, ConstantDescs.CD_long);
        code.invokeinterface(VectorCode.desc(MemorySegment.class), "get", get);
    }

    final void readInt(Address from) {
        read("JAVA_INT_UNALIGNED", ValueLayout.OfInt.class, ConstantDescs.CD_int, from);
    }

    @Override
    public void scalarCopy(Step.ScalarCopy step) {
        if (step.from() == null) {
            code.loadConstant(step.constant());
        } else {
            vectors.push(step.from());
        }
        vectors.set(step.to());
    }

    @Override
    public void scalar(Step.Scalar step) {
        vectors.push(step.a());
        boolean shift = step.op() == ScalarOp.SHL || step.op() == ScalarOp.SHR;
        if (shift) {
            code.loadConstant(step.constant());
        } else if (step.b() == null) {
            code.loadConstant((long) step.constant());
        } else {
            vectors.push(step.b());
        }
        switch (step.op()) {
            case ADD -> code.ladd();
            case SUB -> code.lsub();
            case MUL -> code.lmul();
            case AND -> code.land();
            case SHL -> code.lshl();
            case SHR -> code.lushr();
            case MIN -> code.invokestatic(MATH, "min", OF_TWO_LONGS);
            case MAX -> code.invokestatic(MATH, "max", OF_TWO_LONGS);
        }
        vectors.set(step.to());
    }

    @Override
    public void loop(Step.Loop step) {
        Label top = code.newBoundLabel();
        Label end = code.newLabel();
        vectors.push(step.counter());
        code.loadConstant((long) step.step()).lcmp().iflt(end);
        all(step.body());
        vectors.push(step.counter());
        code.loadConstant((long) step.step()).lsub();
        vectors.set(step.counter());
        code.goto_(top).labelBinding(end);
    }

    @Override
    public void branch(Step.If step) {
        Label otherwise = code.newLabel();
        vectors.push(step.value());
        code.lconst_0().lcmp().ifeq(otherwise);
        all(step.then());
        if (step.otherwise().isEmpty()) {
            code.labelBinding(otherwise);
            return;
        }
        Label end = code.newLabel();
        code.goto_(end).labelBinding(otherwise);
        all(step.otherwise());
        code.labelBinding(end);
    }

    /** The JVM has no way to say that. */
    @Override
    public void prefetch(Step.Prefetch step) {}
}
