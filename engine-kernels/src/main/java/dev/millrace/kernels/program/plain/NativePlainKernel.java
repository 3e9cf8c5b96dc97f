package dev.millrace.kernels.program.plain;

import dev.millrace.kernels.program.Kernel;
import dev.millrace.kernels.program.Memory;
import dev.millrace.kernels.program.NativeMemory;
import dev.millrace.kernels.program.Program;

/** Interprets a program on native memory, for a lowering that cannot do better with this one. */
public record NativePlainKernel(Program program) implements Kernel {
    @Override
    public String name() {
        return program.name();
    }

    @Override
    public void call(Memory memory, long a, long b, long c, long d, long e, long f) {
        NativeMemory.check(memory, program.name());
        new Interpreter(program, new AddressMemory()).run(a, b, c, d, e, f);
    }
}
