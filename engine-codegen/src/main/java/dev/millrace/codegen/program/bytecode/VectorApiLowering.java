package dev.millrace.codegen.program.bytecode;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.NativeMemory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.memory.call.HeldRun;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.List;

/**
 * Lowers programs to hidden classes whose code calls the Vector API. It needs the module jdk.incubator.vector.
 * Generated code accesses native memory by address, like machine code, so that only extents are checked.
 */
public final class VectorApiLowering implements Lowering {
    private final VectorMachine machine;
    private final int mostSteps;

    /**
     * Creates a lowering for vectors of a width; widths that the processor does not have are slow, but work.
     *
     * @param bits 128, 256 or 512
     */
    public VectorApiLowering(int bits) {
        this(bits, KernelClass.MOST_STEPS);
    }

    /** Creates a lowering with at most {@code mostSteps} steps in a method. */
    VectorApiLowering(int bits, int mostSteps) {
        machine = VectorMachine.of(bits);
        this.mostSteps = mostSteps;
    }

    /** The width of vectors in bits that suits the processor. */
    public static int preferredBits() {
        return VectorMachine.preferredBits();
    }

    @Override
    public Target target() {
        return machine.target();
    }

    @Override
    public List<CompiledKernel> lower(List<Program> programs) {
        List<CompiledKernel> kernels = new ArrayList<>();
        for (Program program : programs) {
            kernels.add(new BytecodeKernel(program.name(), body(program)));
        }
        return kernels;
    }

    private Body body(Program program) {
        KernelClass type = KernelClass.of(Expansion.of(program), machine, mostSteps);
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup()
                    .defineHiddenClassWithClassData(type.bytes(), List.copyOf(type.classData()), true);
            return (Body) lookup.findConstructor(lookup.lookupClass(), MethodType.methodType(void.class))
                    .invoke();
        } catch (RuntimeException | Error failure) {
            throw failure;
        } catch (Throwable impossible) {
            throw new AssertionError(program.name(), impossible);
        }
    }

    @Override
    public Memory newMemory() {
        return new NativeMemory();
    }

    private record BytecodeKernel(String name, Body body) implements CompiledKernel {
        @Override
        public void call(Memory memory, long a, long b, long c, long d, long e, long f) {
            MemorySegment[] toHold = NativeMemory.toHold(memory, name);
            if (toHold == null) {
                body.run(a, b, c, d, e, f);
            } else {
                HeldRun.of(toHold, () -> body.run(a, b, c, d, e, f));
            }
        }
    }
}
