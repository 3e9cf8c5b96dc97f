package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.List;

/** A convolution of flat images of bytes in which each channel sees itself only; it knows no activation but ReLU. */
public final class QuantisedDepthwiseConv implements QuantisedConvolution {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    /** Up to so many products of two differences of bytes are exact as a float, with or without sign. */
    private static final int MOST_TAPS = (1 << 24) / (255 * 255);

    private final ConvShape shape;
    private final int lanes;
    private final DepthwisePlan plan;

    /** @throws IllegalArgumentException if a convolution is not {@linkplain #fits of this kind} */
    public QuantisedDepthwiseConv(KernelSet kernels, ConvShape shape) {
        if (!fits(shape)) {
            throw new IllegalArgumentException(shape + " is no depthwise convolution of flat images with up to "
                    + DepthwiseTile.MAX_TAPS + " taps in a row");
        }
        this.shape = shape;
        lanes = kernels.target().lanes();
        plan = new DepthwisePlan(kernels, shape);
    }

    /** Whether a convolution can be computed in this way. */
    public static boolean fits(ConvShape shape) {
        return shape.groups() == shape.channels()
                && shape.outChannels() == shape.channels()
                && shape.depth().isPointwise()
                && shape.depth().in() == 1
                && shape.width().taps() <= DepthwiseTile.MAX_TAPS
                && shape.width().stride() <= DepthwiseTile.MAX_STEP
                && shape.width().dilation() <= DepthwiseTile.MAX_STEP
                && shape.taps() <= MOST_TAPS;
    }

    @Override
    public long packedBytes() {
        return plan.blocks() * plan.weightBytes();
    }

    @Override
    public String packedLayout() {
        return "conv s8 depthwise, sums and taps, block " + lanes;
    }

    @Override
    public void pack(QuantisedMatrix weights, MemorySegment packed) {
        CallChecks.byteMatrix("the weights", weights.data(), shape.channels(), shape.taps(), weights.stride());
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.writable("the packed weights", packed);
        MemorySegment zeros = weights.zeroPoints();
        if (zeros != null && zeros.byteSize() != 1) {
            CallChecks.bytes("the zero points of the weights", zeros, shape.channels());
        }
        packed.asSlice(0, packedBytes()).fill((byte) 0);
        for (int channel = 0; channel < shape.channels(); channel++) {
            long start = channel / lanes * plan.weightBytes() + 4L * (channel % lanes);
            int sum = 0;
            for (int tap = 0; tap < shape.taps(); tap++) {
                byte value = weights.data().get(ValueLayout.JAVA_BYTE, channel * weights.stride() + tap);
                int weight = (weights.signed() ? value : value & 0xff) - weights.zeroPoint(channel);
                packed.set(FLOAT, start + 4L * (1 + tap) * lanes, weight);
                sum += weight;
            }
            packed.set(FLOAT, start, sum);
        }
    }

    @Override
    public List<Activation> activations() {
        return Activation.SIMPLE;
    }

    @Override
    public long scratchBytes(boolean plain, int width) {
        return width * plan.scratchBytes();
    }

    @Override
    public void run(
            QuantisedMatrix in, MemorySegment packed, QuantisedResult out, MemorySegment scratch, Parallel parallel) {
        ByteOperands.check(shape, in, out);
        CallChecks.bytes("the packed weights", packed, packedBytes());
        CallChecks.bytes("the scratch memory", scratch, scratchBytes(true, parallel.width()));
        if (!Activation.SIMPLE.contains(out.activation())) {
            throw new IllegalArgumentException("a depthwise convolution of bytes cannot do " + out.activation());
        }
        long rows = (long) shape.batch() * shape.height().out();
        long work = shape.batch() * shape.outPixels() * shape.channels() * shape.taps();
        // each has its part of the scratch memory
        int tasks = (int)
                Math.clamp(rows, 1, ParallelThresholds.shares(work, ParallelThresholds.BYTE_WINDOWS, parallel.width()));
        DepthwisePlan.Operands operands = new DepthwisePlan.Operands(in, packed, out, scratch);
        try {
            parallel.run(
                    tasks, task -> plan.rows(operands, task, rows * task / tasks, rows * (task + 1) / tasks, parallel));
        } finally {
            Reference.reachabilityFence(in);
            Reference.reachabilityFence(packed);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(scratch);
        }
    }
}
