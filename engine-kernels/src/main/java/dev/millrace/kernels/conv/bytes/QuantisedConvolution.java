package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedResult;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * An exact convolution of images of bytes of one shape. Images are matrices with a row of channels for each pixel,
 * image by image, plane by plane, row by row. Padding has the value of the zero point. Memory is native (heap memory
 * only where kernels are interpreted). Safe for use by several threads.
 */
public sealed interface QuantisedConvolution extends PacksWeights permits QuantisedConv, QuantisedDepthwiseConv {
    /** The size of the packed weights in bytes. */
    long packedBytes();

    /**
     * Packs weights of outChannels × channels of a group × taps, with their zero points.
     *
     * @param weights a row for each output channel
     */
    void pack(QuantisedMatrix weights, MemorySegment packed);

    /** The activations that it can apply to results that are floats. */
    List<Activation> activations();

    /**
     * The scratch memory of a run in bytes.
     *
     * @param plain whether the images have no sign, and the weights no zero points
     * @param width the width of the {@link Parallel} that it runs on
     */
    long scratchBytes(boolean plain, int width);

    /**
     * Computes a convolution. No operand may be freed before it is done.
     *
     * @param in a row for each pixel, with one zero point and one scale at most
     * @param out a row for each output pixel
     * @param scratch as many bytes as {@link #scratchBytes} says, for this run alone
     * @throws IllegalArgumentException if the shapes of the operands do not match
     * @throws IndexOutOfBoundsException if an operand is smaller than the convolution needs
     */
    void run(QuantisedMatrix in, MemorySegment packed, QuantisedResult out, MemorySegment scratch, Parallel parallel);
}
