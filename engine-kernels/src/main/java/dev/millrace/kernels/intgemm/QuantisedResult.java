package dev.millrace.kernels.intgemm;

import dev.millrace.kernels.call.Extents;
import dev.millrace.kernels.gemm.Activation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Where a product of quantised matrices goes, and what is done to the sums before.
 *
 * @param data rows of what {@link #output} says; overlaps no other operand
 * @param stride elements from one row to the next
 * @param scales floats that the sums are multiplied with, besides those of the rows of A: one, or one for each column;
 *     null stands for 1, and must where ints are written
 * @param bias an int or a float for each column, as {@link QuantisedOutput} says, or null
 * @param activation after the bias; only where floats are written
 * @param zeroPoint what is added to rounded bytes
 * @param small whether the scales, with those of A, are so small that no scaled sum leaves the range of an int: half at
 *     most. Bytes are made in less time then.
 */
public record QuantisedResult(
        MemorySegment data,
        QuantisedOutput output,
        long stride,
        @Nullable MemorySegment scales,
        @Nullable MemorySegment bias,
        Activation activation,
        int zeroPoint,
        boolean small) {
    /** Sums as they are. */
    public static QuantisedResult ints(MemorySegment data, long stride) {
        return new QuantisedResult(data, QuantisedOutput.S32, stride, null, null, Activation.NONE, 0, false);
    }

    /** Scaled sums. */
    public static QuantisedResult floats(
            MemorySegment data,
            long stride,
            MemorySegment scales,
            @Nullable MemorySegment bias,
            Activation activation) {
        return new QuantisedResult(data, QuantisedOutput.F32, stride, scales, bias, activation, 0, false);
    }

    /** Sums quantised again: the scales are those of both factors over that of the result. */
    public static QuantisedResult bytes(
            MemorySegment data, boolean signed, long stride, MemorySegment scales, int zeroPoint) {
        QuantisedOutput output = signed ? QuantisedOutput.S8 : QuantisedOutput.U8;
        return new QuantisedResult(data, output, stride, scales, null, Activation.NONE, zeroPoint, false);
    }

    /** The same with a bias. */
    public QuantisedResult withBias(MemorySegment numbers) {
        return new QuantisedResult(data, output, stride, scales, numbers, activation, zeroPoint, small);
    }

    /** @throws IndexOutOfBoundsException if it has no room for m rows of n elements */
    public void check(long m, long n) {
        Extents.byteMatrix(
                "C", data, m, Math.multiplyExact(n, output.bytes()), Math.multiplyExact(stride, output.bytes()));
        Extents.writable("C", data);
        if (output != QuantisedOutput.F32 && activation != Activation.NONE) {
            throw new IllegalArgumentException("the activation " + activation + " is only for floats, not " + output);
        }
        if (output == QuantisedOutput.S32 && scales != null) {
            throw new IllegalArgumentException("scales are given, but ints are written");
        }
        if (output.isQuantised() && (zeroPoint < output.least() || zeroPoint > output.most())) {
            throw new IllegalArgumentException("the zero point of C is " + zeroPoint + ", which is no " + output);
        }
        if (scales != null && scales.byteSize() != 4) {
            Extents.vector("the scales of C", scales, n);
        }
        if (bias != null) {
            Extents.vector("the bias", bias, n);
        }
    }

    /** The same of scales that are {@code small}. */
    public QuantisedResult withSmallScales() {
        return new QuantisedResult(data, output, stride, scales, bias, activation, zeroPoint, true);
    }

    /** Whether scaled sums are cut off where ints end, before they become ints. */
    public boolean cuts() {
        return output.isQuantised() && !small;
    }

    /** Whether there is a scale for each column, not one for all. */
    public boolean hasScalePerColumn() {
        return scales != null && scales.byteSize() != 4;
    }
}
