package dev.millrace.codegen.program;

/** The instructions that add up products of small elements within a lane. */
final class EmulatedProducts {
    private EmulatedProducts() {}

    static int lane(String name, int to, int a, int b) {
        return switch (name) {
            case "vpmaddwd" -> word(a, 0) * word(b, 0) + word(a, 1) * word(b, 1);
            case "vpmaddubsw" -> saturated(bytes(a, b, 0)) & 0xffff | saturated(bytes(a, b, 2)) << 16;
            case "vpdpbusd" -> to + bytes(a, b, 0) + bytes(a, b, 2);
            case "vdpbf16ps" -> {
                float upper = sum(Float.intBitsToFloat(to), a >>> 16 << 16, b >>> 16 << 16);
                yield Float.floatToRawIntBits(sum(upper, a << 16, b << 16));
            }
            default -> throw new AssertionError(name);
        };
    }

    private static int word(int lane, int index) {
        return lane << 16 - 16 * index >> 16;
    }

    /** Two neighbouring bytes without sign times two with sign. */
    private static int bytes(int a, int b, int first) {
        int sum = 0;
        for (int i = first; i < first + 2; i++) {
            sum += (a >>> 8 * i & 0xff) * (b << 24 - 8 * i >> 24);
        }
        return sum;
    }

    private static int saturated(int sum) {
        return Math.max(-0x8000, Math.min(0x7fff, sum));
    }

    /** Denormals are zeros on both sides of each multiplication and addition, which are rounded together. */
    private static float sum(float to, int a, int b) {
        return normal(Math.fma(normal(Float.intBitsToFloat(a)), normal(Float.intBitsToFloat(b)), normal(to)));
    }

    private static float normal(float value) {
        return Math.abs(value) < 0x1p-126f ? 0 * value : value;
    }
}
