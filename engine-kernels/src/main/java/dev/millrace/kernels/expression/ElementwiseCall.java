package dev.millrace.kernels.expression;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.kernels.call.NonTemporalStores;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.rows.RowNest;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The kernels of an expression, and the choice among them for the rows of a call. Safe for use by several threads. */
final class ElementwiseCall {
    private final KernelSet kernels;
    private final Expr expression;
    private final DataType type;
    private final NonTemporalStores streaming;
    private final KernelKey key;
    private final CompiledKernel kernel;

    ElementwiseCall(KernelSet kernels, Expr expression, DataType type, NonTemporalStores streaming) {
        this.kernels = kernels;
        this.expression = expression;
        this.type = type;
        this.streaming = streaming;
        key = ElementwiseFamily.key(expression, type, false);
        kernel = kernels.kernel(key);
    }

    /** Returns the streaming of an expression's results for callers that choose none. */
    static NonTemporalStores usualStreaming(Expr expression) {
        return ExprRows.isCheap(expression) ? NonTemporalStores.USUAL : NonTemporalStores.BEHIND_WORK;
    }

    KernelKey key() {
        return key;
    }

    /** @param segments the output, then the inputs */
    void run(RowNest nest, List<MemorySegment> segments, Parallel parallel) {
        nest.check(segments);
        nest.run(kernels, isStreamed(nest, segments) ? streamedKernel() : kernel, segments, parallel);
    }

    /**
     * Whether the output is streamed. One that overwrites an input is not, because its cache lines have been read
     * already.
     */
    private boolean isStreamed(RowNest nest, List<MemorySegment> segments) {
        MemorySegment out = segments.getFirst();
        return ElementwiseFamily.canStream(type)
                && streaming.suits(out, nest.bytes(0), kernels.target())
                && nest.rowsAreMultiplesOf(0, kernels.target().vectorBytes())
                && segments.subList(1, segments.size()).stream().noneMatch(in -> in.address() == out.address());
    }

    private CompiledKernel streamedKernel() {
        return kernels.kernel(ElementwiseFamily.key(expression, type, true));
    }
}
