package dev.millrace.kernels;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Lowering;
import dev.millrace.codegen.program.Memory;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.plain.PlainLowering;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Interprets, and remembers which kernels were asked for.
 *
 * @param keys of those kernels, in their order
 */
public record RecordingLowering(PlainLowering plain, Set<KernelKey> keys) implements Lowering {
    public static RecordingLowering of(Target target) {
        return new RecordingLowering(new PlainLowering(target), new LinkedHashSet<>());
    }

    @Override
    public Target target() {
        return plain.target();
    }

    @Override
    public List<CompiledKernel> lower(List<Program> programs) {
        for (Program program : programs) {
            keys.add(KernelKey.parse(program.name()));
        }
        return plain.lower(programs);
    }

    @Override
    public Memory newMemory() {
        return plain.newMemory();
    }
}
