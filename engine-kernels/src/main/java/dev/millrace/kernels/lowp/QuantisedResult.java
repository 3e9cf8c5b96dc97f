package dev.millrace.kernels.lowp;

import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.gemm.Activation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a product of quantised matrices, and the epilogue of its sums.
 *
 * @param data rows of elements of type {@link #output}; overlaps no other operand
 * @param stride elements from one row to the next
 * @param scales floats that the sums are multiplied with, besides those of the rows of A: one, or one for each column;
 *     null stands for 1, and must where ints are written
 * @param bias an int or a float for each column, depending on the {@link QuantisedOutput}, or null
 * @param activation the activation after the bias; only where floats are written
 * @param zeroPoint the zero point that is added to rounded bytes
 * @param small whether the scales, with those of A, are so small that no scaled sum leaves the range of an int: half at
 *     most. Bytes take less time then.
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
    /** Returns a result of unscaled sums. */
    public static QuantisedResult ints(MemorySegment data, long stride) {
        return new QuantisedResult(data, QuantisedOutput.S32, stride, null, null, Activation.NONE, 0, false);
    }

    /** Returns a result of scaled sums. */
    public static QuantisedResult floats(
            MemorySegment data,
            long stride,
            MemorySegment scales,
            @Nullable MemorySegment bias,
            Activation activation) {
        return new QuantisedResult(data, QuantisedOutput.F32, stride, scales, bias, activation, 0, false);
    }

    /** Returns a result of requantised sums: the scales are those of both factors over that of the result. */
    public static QuantisedResult bytes(
            MemorySegment data, boolean signed, long stride, MemorySegment scales, int zeroPoint) {
        QuantisedOutput output = signed ? QuantisedOutput.S8 : QuantisedOutput.U8;
        return new QuantisedResult(data, output, stride, scales, null, Activation.NONE, zeroPoint, false);
    }

    /** Returns this result with a bias. */
    public QuantisedResult withBias(MemorySegment numbers) {
        return new QuantisedResult(data, output, stride, scales, numbers, activation, zeroPoint, small);
    }

    /** @throws IndexOutOfBoundsException if the memory is smaller than m rows of n elements */
    public void check(long m, long n) {
        CallChecks.byteMatrix(
                "C", data, m, Math.multiplyExact(n, output.bytes()), Math.multiplyExact(stride, output.bytes()));
        CallChecks.writable("C", data);
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
            CallChecks.vector("the scales of C", scales, n);
        }
        if (bias != null) {
            CallChecks.vector("the bias", bias, n);
        }
    }

    /** Returns this result with scales that are {@code small}. */
    public QuantisedResult withSmallScales() {
        return new QuantisedResult(data, output, stride, scales, bias, activation, zeroPoint, true);
    }

    /** Whether scaled sums are clamped to the range of ints before they are converted. */
    public boolean cuts() {
        return output.isQuantised() && !small;
    }

    /** Whether there is a scale for each column, not one for all. */
    public boolean hasScalePerColumn() {
        return scales != null && scales.byteSize() != 4;
    }
}
