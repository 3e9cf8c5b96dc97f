package dev.millrace.codegen.program.bytecode;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/** Products of small elements for generated code, which would become too large with them inline. */
final class LaneProducts {
    private static final int HALF = 16;
    private static final int BYTE = 8;
    private static final int TOP_BYTE = 24;

    private LaneProducts() {}

    /** Computes the sum of the products of the signed 16-bit halves. */
    static IntVector ofHalves(IntVector a, IntVector b) {
        IntVector low = signed(a, HALF, HALF).mul(signed(b, HALF, HALF));
        return low.add(signed(a, 0, HALF).mul(signed(b, 0, HALF)));
    }

    /** Computes the saturated sum of two unsigned bytes of a times two signed bytes of b in each 16-bit half. */
    static IntVector ofBytes(IntVector a, IntVector b) {
        IntVector low = saturated(product(a, b, 0).add(product(a, b, BYTE)));
        IntVector high = saturated(product(a, b, HALF).add(product(a, b, TOP_BYTE)));
        return low.and(0xffff).or(high.lanewise(VectorOperators.LSHL, HALF));
    }

    private static IntVector signed(IntVector a, int left, int right) {
        return a.lanewise(VectorOperators.LSHL, left).lanewise(VectorOperators.ASHR, right);
    }

    private static IntVector product(IntVector a, IntVector b, int bit) {
        IntVector unsigned = a.lanewise(VectorOperators.LSHR, bit).and(0xff);
        return unsigned.mul(signed(b, TOP_BYTE - bit, TOP_BYTE));
    }

    private static IntVector saturated(IntVector sum) {
        return sum.max(Short.MIN_VALUE).min(Short.MAX_VALUE);
    }
}
