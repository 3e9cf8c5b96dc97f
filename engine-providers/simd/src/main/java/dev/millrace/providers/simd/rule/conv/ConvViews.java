package dev.millrace.providers.simd.rule.conv;

import dev.millrace.kernels.call.Parallel;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The views that the step of a convolution reads and writes. */
record ConvViews(View in, View packed, @Nullable View residual, View out) {
    /** The call of a convolution on memory. */
    @FunctionalInterface
    interface Kernel {
        void run(
                MemorySegment in,
                MemorySegment packed,
                @Nullable MemorySegment residual,
                MemorySegment out,
                MemorySegment scratch,
                Parallel parallel);
    }

    /** @param work the number of multiplications and additions */
    ProgramStep step(Supplier<String> name, String node, long work, long scratchBytes, Kernel kernel) {
        return ProgramStep.of(name, node)
                .reading(residual == null ? List.of(in, packed) : List.of(in, packed, residual))
                .writing(out)
                .work(work)
                .scratch(scratchBytes)
                .repeating()
                .calling(memory -> {
                    MemorySegment images = memory.segment(in);
                    MemorySegment weights = memory.segment(packed);
                    MemorySegment added = residual == null ? null : memory.segment(residual);
                    MemorySegment results = memory.segment(out);
                    MemorySegment scratch = memory.scratch();
                    return crew -> kernel.run(images, weights, added, results, scratch, crew);
                });
    }
}
