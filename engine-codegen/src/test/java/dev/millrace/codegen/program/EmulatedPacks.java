package dev.millrace.codegen.program;

/** The instructions that saturate numbers of 16 and 8 bits, after the processor's manual. */
final class EmulatedPacks {
    private EmulatedPacks() {}

    /** A lane made of two neighbours of a vector. */
    static int lane(String name, int[] from, int first) {
        if (name.equals("vpackssdw")) {
            return cut(from[first], 16) | cut(from[first + 1], 16) << 16;
        }
        int result = 0;
        for (int i = 0; i < 4; i++) {
            int half = from[first + i / 2] << 16 - i % 2 * 16 >> 16;
            int number = name.equals("vpackuswb") ? Math.min(Math.max(half, 0), 255) : cut(half, 8);
            result |= number << 8 * i;
        }
        return result;
    }

    static int sums(int a, int b) {
        return cut((a << 16 >> 16) + (b << 16 >> 16), 16) | cut((a >> 16) + (b >> 16), 16) << 16;
    }

    /** The bits of a number with sign that is saturated. */
    private static int cut(int number, int bits) {
        int most = (1 << bits - 1) - 1;
        return Math.min(Math.max(number, ~most), most) & (1 << bits) - 1;
    }
}
