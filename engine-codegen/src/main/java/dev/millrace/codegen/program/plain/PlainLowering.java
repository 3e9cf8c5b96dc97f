package dev.millrace.codegen.program.plain;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import java.util.ArrayList;
import java.util.List;

/**
 * Interprets programs. It runs those of any target, so it also proves that a program of a machine that is not at hand
 * computes the right thing and stays inside of its memory: each access is checked against its segment.
 */
public final class PlainLowering implements Lowering {
    private final Target target;

    public PlainLowering(Target target) {
        this.target = target;
    }

    @Override
    public Target target() {
        return target;
    }

    @Override
    public List<CompiledKernel> lower(List<Program> programs) {
        List<CompiledKernel> kernels = new ArrayList<>();
        for (Program program : programs) {
            kernels.add(new PlainKernel(program));
        }
        return kernels;
    }

    @Override
    public Memory newMemory() {
        return new SegmentMemory();
    }

    private record PlainKernel(Program program) implements CompiledKernel {
        @Override
        public String name() {
            return program.name();
        }

        @Override
        public void call(Memory memory, long a, long b, long c, long d, long e, long f) {
            if (!(memory instanceof SegmentMemory segments)) {
                throw new IllegalArgumentException("the memory was not made for " + program.name());
            }
            new Interpreter(program, segments).run(a, b, c, d, e, f);
        }
    }
}
