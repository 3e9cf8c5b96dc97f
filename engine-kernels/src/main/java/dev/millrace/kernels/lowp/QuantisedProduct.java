package dev.millrace.kernels.lowp;

import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;

/**
 * The operands of a product of quantised matrices, {@code C = finish((A - zeros) (B - zeros))}.
 *
 * @param a m rows of k bytes, with zero points and scales for all or for each row
 * @param packed B of k rows and n columns, packed by the same {@link QuantisedGemm}
 * @param c m rows of n elements
 */
public record QuantisedProduct(QuantisedMatrix a, MemorySegment packed, QuantisedResult c, long m, long n, long k) {

    void check() {
        a.check("A", m, k, m);
        c.check(m, n);
        CallChecks.apart("C", c.data(), "A", a.data());
        CallChecks.apart("C", c.data(), "the packed B", packed);
    }
}
