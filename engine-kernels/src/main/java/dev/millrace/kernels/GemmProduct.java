package dev.millrace.kernels;

import dev.millrace.kernels.driver.Extents;
import dev.millrace.kernels.gemm.Epilogue;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The operands of {@code C = epilogue(A B)}, or {@code C = epilogue(C + A B)}.
 *
 * @param a m rows of k elements
 * @param lda elements from one row of A to the next
 * @param packed B of k rows and n columns, packed by the same {@link Gemm}
 * @param c m rows of n elements; overlaps no other operand
 * @param ldc elements from one row of C to the next
 * @param accumulate whether what C holds is added
 * @param bias n elements, given if and only if the epilogue adds them
 */
public record GemmProduct(
        MemorySegment a,
        long lda,
        MemorySegment packed,
        MemorySegment c,
        long ldc,
        long m,
        long n,
        long k,
        boolean accumulate,
        Epilogue epilogue,
        @Nullable MemorySegment bias) {

    /** A product of dense matrices, C being overwritten. */
    public static GemmProduct of(MemorySegment a, MemorySegment packed, MemorySegment c, long m, long n, long k) {
        return new GemmProduct(a, k, packed, c, n, m, n, k, false, Epilogue.NONE, null);
    }

    /** The same operands with an epilogue. */
    public GemmProduct with(Epilogue other, @Nullable MemorySegment biasOfColumns) {
        return new GemmProduct(a, lda, packed, c, ldc, m, n, k, accumulate, other, biasOfColumns);
    }

    void check() {
        Extents.matrix("A", a, m, k, lda);
        Extents.matrix("C", c, m, n, ldc);
        Extents.writable("C", c);
        if (epilogue.bias() != (bias != null)) {
            throw new IllegalArgumentException(
                    bias == null ? "the epilogue adds a bias, but none is given" : "a bias is given, but not added");
        }
        if (bias != null) {
            Extents.vector("the bias", bias, n);
        }
    }
}
