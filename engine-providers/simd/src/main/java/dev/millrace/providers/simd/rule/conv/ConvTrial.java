package dev.millrace.providers.simd.rule.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.Conv;
import dev.millrace.kernels.conv.ConvMethod;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.providers.simd.lower.TuningCache;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A trial that finds the fastest method of a convolution by measuring: on one image of zeros, on one thread. */
final class ConvTrial {
    /** The most memory of a trial, beside that of the model; larger convolutions are not measured. */
    private static final long MOST_BYTES = 256 << 20;

    private final KernelSet kernels;
    private final ConvShape shape;
    private final Expr after;
    private final boolean hasResidual;

    /** @param shape a shape with any batch */
    ConvTrial(KernelSet kernels, ConvShape shape, Expr after, boolean hasResidual) {
        this.kernels = kernels;
        this.shape = shape.ofBatch(1);
        this.after = after;
        this.hasResidual = hasResidual;
    }

    /** @param counted the method by the cost model */
    ConvMethod best(TuningCache choices, ConvMethod counted) {
        if (bytes(shape.channels(), shape.inPixels()) + 2 * bytes(shape.outChannels(), shape.outPixels())
                > MOST_BYTES) {
            return counted;
        }
        List<ConvMethod> methods = Arrays.stream(ConvMethod.values())
                .filter(method -> method.fits(shape, kernels.target()))
                .toList();
        return choices.of(this::work, methods, counted, this::ready);
    }

    /** Names the work for the choice. The epilogue is left out, since it takes the same time in all methods. */
    private String work() {
        return "conv of " + kernels.target().lanes() + " lanes, " + shape;
    }

    private Runnable ready(ConvMethod method) {
        var conv = new Conv(kernels, shape, false, after, method);
        MemorySegment in = images(shape.channels(), shape.inPixels());
        MemorySegment packed = kernels.allocate(conv.packedBytes());
        MemorySegment out = images(shape.outChannels(), shape.outPixels());
        MemorySegment residual = hasResidual ? images(shape.outChannels(), shape.outPixels()) : null;
        long wanted = conv.scratchBytes(1);
        @Nullable MemorySegment scratch = wanted == 0 ? null : kernels.allocate(wanted);
        return () -> conv.run(in, packed, residual, out, scratch, Parallel.NONE);
    }

    private MemorySegment images(int channels, long pixels) {
        return kernels.allocate(bytes(channels, pixels));
    }

    private long bytes(int channels, long pixels) {
        return Float.BYTES * BlockedImages.elements(kernels.target().lanes(), channels, pixels);
    }
}
