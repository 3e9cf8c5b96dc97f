package dev.millrace.codegen.program.plain;

import java.util.random.RandomGenerator;

/** Draws values for what a kernel reads. */
final class Draw {
    private static final float[] SPECIAL = {
        0f, -0f, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.MIN_VALUE, Float.MAX_VALUE, 1f
    };
    private static final int INDICES = 64;
    private static final int HALF = 32;

    private final RandomGenerator random;
    private final int lanes;
    private final boolean modest;

    /** @param modest whether numbers should be small, and counts of lanes no more than there are */
    Draw(RandomGenerator random, int lanes, boolean modest) {
        this.random = random;
        this.lanes = lanes;
        this.modest = modest;
    }

    /** Bits for so many bytes. A pointer is not to be drawn. */
    long bits(Role role, int bytes) {
        return switch (role) {
            case DATA -> bytes == Float.BYTES ? Float.floatToRawIntBits(number()) : random.nextLong();
            case INDEX -> random.nextInt(INDICES);
            case NUMBER -> count();
            case LANES -> modest || random.nextBoolean() ? random.nextInt(lanes + 1) : random.nextInt(3 * lanes);
            case PAIR -> (long) random.nextInt(lanes + 1) << HALF | random.nextInt(lanes + 1);
            case POINTER -> throw new IllegalArgumentException("pointers are not drawn");
        };
    }

    private float number() {
        return random.nextInt(16) == 0 ? SPECIAL[random.nextInt(SPECIAL.length)] : (random.nextInt() >> 8) * 0x1p-21f;
    }

    private int count() {
        return switch (random.nextInt(modest ? 2 : 4)) {
            case 0 -> 1;
            case 1 -> random.nextInt(4);
            case 2 -> random.nextInt(2 * lanes + 2);
            default -> 4 * random.nextInt(64);
        };
    }
}
