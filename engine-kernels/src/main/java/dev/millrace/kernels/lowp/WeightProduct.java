package dev.millrace.kernels.lowp;

import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.gemm.Activation;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The operands of {@code C = activation(A B + bias)} with stored weights B; sums are floats of 32 bits.
 *
 * @param a m rows of k floats
 * @param lda elements from one row of A to the next
 * @param packed B of k rows and n columns, packed by the same {@link WeightGemm}
 * @param c m rows of n floats; overlaps no other operand
 * @param ldc elements from one row of C to the next
 * @param bias n floats of 32 bits, or null
 * @param rounded whether A may be rounded to bytes, a block of weights at a time; weights of four bits alone do so
 */
public record WeightProduct(
        MemorySegment a,
        FloatType typeOfA,
        long lda,
        MemorySegment packed,
        MemorySegment c,
        FloatType typeOfC,
        long ldc,
        long m,
        long n,
        long k,
        @Nullable MemorySegment bias,
        Activation activation,
        boolean rounded) {

    /** A product of dense matrices of floats of 32 bits. */
    public static WeightProduct of(MemorySegment a, MemorySegment packed, MemorySegment c, long m, long n, long k) {
        return new WeightProduct(
                a, FloatType.F32, k, packed, c, FloatType.F32, n, m, n, k, null, Activation.NONE, false);
    }

    WeightExtents extents() {
        return new WeightExtents(m, n, k, typeOfA, typeOfC, rounded);
    }

    void check() {
        CallChecks.byteMatrix("A", a, m, k * typeOfA.bytes(), Math.multiplyExact(lda, typeOfA.bytes()));
        CallChecks.byteMatrix("C", c, m, n * typeOfC.bytes(), Math.multiplyExact(ldc, typeOfC.bytes()));
        CallChecks.writable("C", c);
        if (bias != null) {
            CallChecks.vector("the bias", bias, n);
        }
    }
}
