package dev.millrace.kernels.program.bytecode;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_long;
import static java.lang.constant.ConstantDescs.CD_void;

import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Lowering;
import dev.millrace.kernels.program.Memory;
import dev.millrace.kernels.program.NativeMemory;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.Step;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.plain.NativePlainKernel;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * Hidden classes whose code calls the Vector API. To be used only where the module jdk.incubator.vector is there. Their
 * native memory is reached by its address, as by machine code, so that no more than extents is checked.
 */
public final class VectorApiLowering implements Lowering {
    private static final MethodTypeDesc RUN =
            MethodTypeDesc.of(CD_void, CD_long, CD_long, CD_long, CD_long, CD_long, CD_long);

    /** A method has at most 64 KB, a step up to 40 bytes. */
    private static final int MOST_STEPS = 1600;

    private final VectorMachine machine;

    /**
     * Vectors of a width; those that the processor does not have are slow, but work.
     *
     * @param bits 128, 256 or 512
     */
    public VectorApiLowering(int bits) {
        machine = VectorMachine.of(bits);
    }

    /** The width of vectors that suits the processor. */
    public static int preferredBits() {
        return VectorMachine.preferredBits();
    }

    @Override
    public Target target() {
        return machine.target();
    }

    @Override
    public List<Kernel> lower(List<Program> programs) {
        List<Kernel> kernels = new ArrayList<>();
        for (Program program : programs) {
            Program expanded = Expansion.of(program);
            boolean fits = steps(expanded.steps()) <= MOST_STEPS;
            kernels.add(fits ? new BytecodeKernel(program.name(), body(expanded)) : new NativePlainKernel(program));
        }
        return kernels;
    }

    private static int steps(List<Step> steps) {
        int count = 0;
        for (Step step : steps) {
            count += switch (step) {
                case Step.Loop loop -> steps(loop.body());
                case Step.If branch -> steps(branch.then()) + steps(branch.otherwise());
                default -> 1;
            };
        }
        return count;
    }

    private Body body(Program program) {
        List<Object> classData = new ArrayList<>();
        ClassDesc name = ClassDesc.of(VectorApiLowering.class.getPackageName(), className(program));
        byte[] bytes = ClassFile.of()
                .build(
                        name,
                        type -> type.withFlags(ClassFile.ACC_FINAL)
                                .withInterfaceSymbols(VectorCode.desc(Body.class))
                                .withMethodBody(
                                        ConstantDescs.INIT_NAME,
                                        ConstantDescs.MTD_void,
                                        0,
                                        VectorApiLowering::constructor)
                                .withMethodBody(
                                        "run", RUN, ClassFile.ACC_PUBLIC, code -> run(code, program, classData)));
        try {
            MethodHandles.Lookup lookup =
                    MethodHandles.lookup().defineHiddenClassWithClassData(bytes, List.copyOf(classData), true);
            return (Body) lookup.findConstructor(lookup.lookupClass(), MethodType.methodType(void.class))
                    .invoke();
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(program.name(), impossible);
        }
    }

    /** The family, for the reader of a profile. */
    private static String className(Program program) {
        String name = program.name();
        int colon = name.indexOf(':');
        return "Kernel_" + (colon < 0 ? name : name.substring(0, colon)).replaceAll("[^A-Za-z0-9]", "_");
    }

    private static void constructor(CodeBuilder code) {
        code.aload(0)
                .invokespecial(CD_Object, ConstantDescs.INIT_NAME, ConstantDescs.MTD_void)
                .return_();
    }

    private void run(CodeBuilder code, Program program, List<Object> classData) {
        VectorCode vectors = new VectorCode(code, program, classData);
        new VectorWriter(vectors, machine).all(program.steps());
        code.return_();
    }

    @Override
    public Memory newMemory() {
        return NativeMemory.INSTANCE;
    }

    private record BytecodeKernel(String name, Body body) implements Kernel {
        @Override
        public void call(Memory memory, long a, long b, long c, long d, long e, long f) {
            NativeMemory.check(memory, name);
            body.run(a, b, c, d, e, f);
        }
    }
}
