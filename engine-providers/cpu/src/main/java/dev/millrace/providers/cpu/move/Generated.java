package dev.millrace.providers.cpu.move;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.RangeTask;
import java.lang.foreign.MemorySegment;

/**
 * An output that is computed from a few parameters alone. A small one is made once and kept with the binding; a large one
 * is made in each run, where its memory is accounted for as any other result's.
 */
@FunctionalInterface
public interface Generated {
    /** Up to this size a result is kept rather than made anew in each run. */
    long KEPT_BYTES = 1 << 20;

    /** Computes the elements {@code [from, to)}, which are zero so far. */
    void fill(ElementType type, MemorySegment elements, long from, long to);

    /** Output 0 as {@code generated} makes it, in ranges of {@code grain} elements. */
    static Launch launch(BindContext context, long grain, Generated generated) {
        ElementType type = context.outputType(0);
        long count = context.outputShape(0).elements();
        if (type.bytes(count) <= KEPT_BYTES) {
            Tensor kept = Tensor.allocate(type, context.outputShape(0));
            generated.fill(type, kept.segment(), 0, count);
            context.fold(0, kept);
            return Launch.none();
        }
        RangeTask task = (run, from, to, scratch) -> {
            MemorySegment output = run.output(0);
            output.asSlice(type.bytes(from), type.bytes(to) - type.bytes(from)).fill((byte) 0);
            generated.fill(type, output, from, to);
        };
        return run -> run.parallelFor(count, grain, task);
    }
}
