package dev.millrace.providers.simd.rule;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.Conv;
import dev.millrace.kernels.conv.ConvMethod;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.BlockedImages;
import dev.millrace.providers.simd.lower.Choices;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the method of a convolution where several can be measured: on one image of zeros, and on one thread. */
final class ConvTrial {
    /** What a trial may take of memory, beside what the model takes: larger ones are not tried. */
    private static final long MOST_BYTES = 256 << 20;

    private final KernelSet kernels;
    private final ConvShape shape;
    private final Expr after;
    private final boolean hasResidual;

    /** @param shape of any number of images */
    ConvTrial(KernelSet kernels, ConvShape shape, Expr after, boolean hasResidual) {
        this.kernels = kernels;
        this.shape = shape.ofBatch(1);
        this.after = after;
        this.hasResidual = hasResidual;
    }

    /** @param counted the method by a rough count */
    ConvMethod best(Choices choices, ConvMethod counted) {
        if (bytes(shape.channels(), shape.inPixels()) + 2 * bytes(shape.outChannels(), shape.outPixels())
                > MOST_BYTES) {
            return counted;
        }
        List<ConvMethod> methods = Arrays.stream(ConvMethod.values())
                .filter(method -> method.fits(shape, kernels.target()))
                .toList();
        return choices.of(this::work, methods, counted, this::ready);
    }

    /** What follows the sums takes the same time in all methods. */
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
