package dev.millrace.codegen.program.bytecode;

import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/** What generated code calls for products of small elements: written out each time, they would make it too large. */
final class LaneProducts {
    private static final int HALF = 16;
    private static final int BYTE = 8;
    private static final int TOP_BYTE = 24;

    private LaneProducts() {}

    /** The products of both 16-bit halves with sign, added up. */
    static IntVector ofHalves(IntVector a, IntVector b) {
        IntVector low = signed(a, HALF, HALF).mul(signed(b, HALF, HALF));
        return low.add(signed(a, 0, HALF).mul(signed(b, 0, HALF)));
    }

    /** In each 16-bit half: two bytes of a without sign times two of b with sign, added up and saturated. */
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
