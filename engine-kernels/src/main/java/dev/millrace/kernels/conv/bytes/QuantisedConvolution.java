package dev.millrace.kernels.conv.bytes;

import dev.millrace.kernels.call.PacksWeights;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.intgemm.QuantisedMatrix;
import dev.millrace.kernels.intgemm.QuantisedResult;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * A convolution of images of bytes of one shape, exact. Images are matrices with a row of channels for each pixel, image
 * by image, plane by plane, row by row. What is outside of an image counts as its zero point. Memory is native (heap
 * memory only where kernels are interpreted). Safe for use by several threads.
 */
public sealed interface QuantisedConvolution extends PacksWeights permits QuantisedConv, QuantisedDepthwiseConv {
    /** What the weights need packed, in bytes. */
    long packedBytes();

    /**
     * Packs weights of outChannels × channels of a group × taps, with their zero points.
     *
     * @param weights a row for each output channel
     */
    void pack(QuantisedMatrix weights, MemorySegment packed);

    /** What it does to results by itself where these are floats. */
    List<Activation> activations();

    /**
     * What a convolution takes of memory while it runs.
     *
     * @param plain whether the images have no sign, and the weights no zero points
     * @param width of what it runs on
     */
    long scratchBytes(boolean plain, int width);

    /**
     * Computes a convolution. No operand may be freed before it is done.
     *
     * @param in a row for each pixel, with one zero point and one scale at most
     * @param out a row for each output pixel
     * @param scratch as many bytes as {@link #scratchBytes} says, for this run alone
     * @throws IllegalArgumentException if the operands do not fit together
     * @throws IndexOutOfBoundsException if an operand is smaller than the convolution needs
     */
    void run(QuantisedMatrix in, MemorySegment packed, QuantisedResult out, MemorySegment scratch, Parallel parallel);
}
