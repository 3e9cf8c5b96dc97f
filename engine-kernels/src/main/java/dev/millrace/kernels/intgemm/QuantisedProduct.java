package dev.millrace.kernels.intgemm;

import dev.millrace.kernels.call.Extents;
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
        Extents.apart("C", c.data(), "A", a.data());
        Extents.apart("C", c.data(), "the packed B", packed);
    }
}
