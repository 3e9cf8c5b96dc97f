package dev.millrace.kernels.quantise;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.DriverScratch;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;

/**
 * Linear quantisation of dense tensors, as ONNX defines it. Memory is native (heap memory only where kernels are
 * interpreted). Safe for use by several threads.
 */
public final class Quantisation {
    private enum Way {
        FLOATS,
        INTS,
        BACK
    }

    private record Variant(Way way, QuantisedType type, boolean perElement) {}

    private final KernelSet kernels;
    private final KernelCache<Variant> variants;
    private final DriverScratch ranges = new DriverScratch();

    public Quantisation(KernelSet kernels) {
        this.kernels = kernels;
        variants = new KernelCache<>(
                kernels,
                variant -> variant.way() == Way.BACK
                        ? DequantiseRows.key(variant.type(), variant.perElement())
                        : QuantiseRows.key(variant.way() == Way.INTS, variant.type(), variant.perElement()));
    }

    /**
     * The kernel f(from, to, count, scales, zeros, rows) of rows one after another that become floats; each place in a
     * row has a scale and a zero point.
     */
    public static KernelKey rowsToFloats(QuantisedType type) {
        return DequantiseRows.key(type, true);
    }

    /** The kernel with the parameters of {@link #rowsToFloats} that quantises rows of floats. */
    public static KernelKey rowsOfFloats(QuantisedType type) {
        return QuantiseRows.key(false, type, true);
    }

    /** {@code y = saturated(round(x / scale) + zero)}, from floats. */
    public void quantise(MemorySegment x, Scales scales, QuantisedType type, MemorySegment y, Parallel parallel) {
        check(x, scales, type, y, "x", 4 * scales.elements(), "y", type.bytes(scales.elements()));
        run(Way.FLOATS, x, scales, type, y, parallel);
    }

    /** {@code y = saturated(round(x * scale) + zero)}, from ints. */
    public void requantise(MemorySegment x, Scales scales, QuantisedType type, MemorySegment y, Parallel parallel) {
        check(x, scales, type, y, "x", 4 * scales.elements(), "y", type.bytes(scales.elements()));
        run(Way.INTS, x, scales, type, y, parallel);
    }

    /** {@code y = (x - zero) * scale}, to floats. */
    public void dequantise(MemorySegment x, QuantisedType type, Scales scales, MemorySegment y, Parallel parallel) {
        check(x, scales, type, y, "x", type.bytes(scales.elements()), "y", 4 * scales.elements());
        run(Way.BACK, x, scales, type, y, parallel);
    }

    private static void check(
            MemorySegment x,
            Scales scales,
            QuantisedType type,
            MemorySegment y,
            String nameOfX,
            long bytesOfX,
            String nameOfY,
            long bytesOfY) {
        scales.check(type);
        CallChecks.bytes(nameOfX, x, bytesOfX);
        CallChecks.bytes(nameOfY, y, bytesOfY);
        CallChecks.writable(nameOfY, y);
        CallChecks.apart(nameOfY, y, nameOfX, x);
        CallChecks.apart(nameOfY, y, "the scales", scales.scales());
        CallChecks.apart(nameOfY, y, "the zero points", scales.zeros());
    }

    private void run(Way way, MemorySegment x, Scales scales, QuantisedType type, MemorySegment y, Parallel parallel) {
        CompiledKernel kernel = variants.kernel(new Variant(way, type, scales.isLast()));
        long in = way == Way.BACK ? type.bytes(2) : 8;
        long out = way == Way.BACK ? 8 : type.bytes(2);
        try {
            new QuantisationRun(kernels, kernel, x, in, y, out, scales).run(parallel);
        } finally {
            Reference.reachabilityFence(x);
            Reference.reachabilityFence(y);
            Reference.reachabilityFence(scales);
        }
    }

    /**
     * Quantises floats to bytes without sign, with the scale and zero point that just hold them and 0.
     *
     * @param elements how many of x and y there are
     * @param scale a float that is written
     * @param zero an int that is written
     */
    public void quantiseDynamically(
            MemorySegment x,
            long elements,
            MemorySegment y,
            MemorySegment scale,
            MemorySegment zero,
            Parallel parallel) {
        CallChecks.vector("x", x, elements);
        CallChecks.bytes("y", y, elements);
        CallChecks.vector("the scale", scale, 1);
        CallChecks.vector("the zero point", zero, 1);
        CallChecks.writable("y", y);
        CallChecks.writable("the scale", scale);
        CallChecks.writable("the zero point", zero);
        CallChecks.apart("y", y, "x", x);
        CallChecks.apart("the scale", scale, "x", x);
        CallChecks.apart("the zero point", zero, "x", x);
        CallChecks.apart("the zero point", zero, "the scale", scale);
        int tasks = ParallelThresholds.tasks(elements, ParallelThresholds.ELEMENTS, parallel.width());
        MemorySegment scratch = ranges.atLeast((long) RangeScale.STEP * tasks);
        try {
            parallel.run(
                    tasks, task -> rangeOf(x, elements * task / tasks, elements * (task + 1) / tasks, scratch, task));
            Memory memory = kernels.newMemory();
            kernels.kernel(RangeScale.KEY)
                    .call(memory, memory.pointer(scratch), tasks, memory.pointer(scale), memory.pointer(zero), 0, 0);
        } finally {
            Reference.reachabilityFence(x);
            Reference.reachabilityFence(scratch);
            Reference.reachabilityFence(scale);
            Reference.reachabilityFence(zero);
        }
        quantise(x, Scales.ofAll(elements, scale, zero), QuantisedType.U8, y, parallel);
    }

    private void rangeOf(MemorySegment x, long from, long end, MemorySegment scratch, int task) {
        Memory memory = kernels.newMemory();
        kernels.kernel(RangeOf.KEY)
                .call(
                        memory,
                        memory.pointer(x) + 4 * from,
                        end - from,
                        memory.pointer(scratch) + (long) RangeScale.STEP * task,
                        0,
                        0,
                        0);
    }
}
