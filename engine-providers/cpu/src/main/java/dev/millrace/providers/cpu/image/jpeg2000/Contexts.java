package dev.millrace.providers.cpu.image.jpeg2000;

/** The flags of a coefficient and its neighbours, and the coding contexts that follow from them. */
final class Contexts {
    static final int LEFT = 1;
    static final int RIGHT = 2;
    static final int ABOVE = 4;
    static final int BELOW = 8;
    static final int ABOVE_LEFT = 16;
    static final int ABOVE_RIGHT = 32;
    static final int BELOW_LEFT = 64;
    static final int BELOW_RIGHT = 128;
    /** The mask of flags that mark a significant neighbour. */
    static final int NEIGHBOURS = 255;

    static final int LEFT_NEGATIVE = 1 << 8;
    static final int RIGHT_NEGATIVE = 1 << 9;
    static final int ABOVE_NEGATIVE = 1 << 10;
    static final int BELOW_NEGATIVE = 1 << 11;
    static final int NEXT_ROW = BELOW | BELOW_LEFT | BELOW_RIGHT | BELOW_NEGATIVE;
    static final int SIGNIFICANT = 1 << 12;
    /** Marks a coefficient that was decoded already in this plane. */
    static final int VISITED = 1 << 13;

    static final int REFINED = 1 << 14;

    private static final int DIAGONALS = ABOVE_LEFT | ABOVE_RIGHT | BELOW_LEFT | BELOW_RIGHT;
    private static final byte[] ZERO = zeros();

    private Contexts() {}

    /** Returns the context for whether a coefficient becomes significant: 0 to 8, by the kind of band. */
    static int zero(int band, int known) {
        return ZERO[band << 8 | (known & NEIGHBOURS)];
    }

    private static byte[] zeros() {
        byte[] table = new byte[4 << 8];
        for (int i = 0; i < table.length; i++) {
            int beside = Integer.bitCount(i & (LEFT | RIGHT));
            int over = Integer.bitCount(i & (ABOVE | BELOW));
            int diagonal = Integer.bitCount(i & DIAGONALS);
            table[i] = (byte)
                    switch (i >> 8) {
                        case Subband.HIGH -> diagonalFirst(diagonal, beside + over);
                        case Subband.HIGH_ACROSS -> besideFirst(over, beside, diagonal);
                        default -> besideFirst(beside, over, diagonal);
                    };
        }
        return table;
    }

    private static int besideFirst(int beside, int over, int diagonal) {
        if (beside == 2) {
            return 8;
        }
        if (beside == 1) {
            return over > 0 ? 7 : diagonal > 0 ? 6 : 5;
        }
        return over > 0 ? 2 + over : Math.min(diagonal, 2);
    }

    private static int diagonalFirst(int diagonal, int direct) {
        return switch (diagonal) {
            case 0 -> Math.min(direct, 2);
            case 1 -> 3 + Math.min(direct, 2);
            case 2 -> 6 + Math.min(direct, 1);
            default -> 8;
        };
    }

    /** Returns the context for a further bit of a magnitude: 0 to 2. */
    static int magnitude(int known) {
        return (known & REFINED) != 0 ? 2 : (known & NEIGHBOURS) != 0 ? 1 : 0;
    }

    /** Returns the context for a sign: 0 to 4. */
    static int sign(int known) {
        int across = across(known);
        int down = down(known);
        return across == 0 ? Math.abs(down) : 3 + across * down;
    }

    /** Returns 1 where the context inverts the sign, else 0. */
    static int signFlip(int known) {
        int across = across(known);
        return across < 0 || (across == 0 && down(known) < 0) ? 1 : 0;
    }

    private static int across(int known) {
        return sum(known, LEFT, LEFT_NEGATIVE, RIGHT, RIGHT_NEGATIVE);
    }

    private static int down(int known) {
        return sum(known, ABOVE, ABOVE_NEGATIVE, BELOW, BELOW_NEGATIVE);
    }

    private static int sum(int known, int one, int oneNegative, int other, int otherNegative) {
        return Math.clamp(part(known, one, oneNegative) + part(known, other, otherNegative), -1, 1);
    }

    private static int part(int known, int significant, int negative) {
        if ((known & significant) == 0) {
            return 0;
        }
        return (known & negative) == 0 ? 1 : -1;
    }
}
