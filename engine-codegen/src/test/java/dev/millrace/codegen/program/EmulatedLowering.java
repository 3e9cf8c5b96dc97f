package dev.millrace.codegen.program;

import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.program.x86.X86Lowering;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/** The AVX-512 lowering with all its extensions, its code run by the {@link Emulator}. */
public final class EmulatedLowering implements Lowering {
    @Override
    public Target target() {
        return Target.AVX512.with(EnumSet.allOf(DotOp.class));
    }

    @Override
    public List<CompiledKernel> lower(List<Program> programs) {
        List<CompiledKernel> kernels = new ArrayList<>();
        for (Program program : programs) {
            kernels.add(new EmulatedKernel(
                    program.name(), new Emulator(X86Lowering.assemble(program, FeatureSet.all(), true))));
        }
        return kernels;
    }

    @Override
    public Memory newMemory() {
        return new NativeMemory();
    }

    private record EmulatedKernel(String name, Emulator emulator) implements CompiledKernel {
        @Override
        public void call(Memory memory, long a, long b, long c, long d, long e, long f) {
            NativeMemory.toHold(memory, name);
            emulator.call(a, b, c, d, e, f);
        }
    }
}
