package dev.millrace.providers.cpu.image.webp;

/** How one macroblock of 16 × 16 pixels is predicted, and what is added to that. */
final class Macroblock {
    static final int MEAN = 0;
    static final int TRUE_MOTION = 1;
    static final int VERTICAL = 2;
    static final int HORIZONTAL = 3;
    static final int DOWN_RIGHT = 4;
    static final int VERTICAL_RIGHT = 5;
    static final int DOWN_LEFT = 6;
    static final int VERTICAL_LEFT = 7;
    static final int HORIZONTAL_DOWN = 8;
    static final int HORIZONTAL_UP = 9;

    /** The tree of the modes of a block: from a node by 0 or 1 to another one, or to the complement of a mode. */
    private static final int[][] TREE = {
        {~MEAN, 1},
        {~TRUE_MOTION, 2},
        {~VERTICAL, 3},
        {4, 6},
        {~HORIZONTAL, 5},
        {~DOWN_RIGHT, ~VERTICAL_RIGHT},
        {~DOWN_LEFT, 7},
        {~VERTICAL_LEFT, 8},
        {~HORIZONTAL_DOWN, ~HORIZONTAL_UP}
    };

    int segment;
    boolean skipped;
    /** Whether each block of 4 × 4 pixels has its own mode. */
    boolean parted;

    int lumaMode;
    int chromaMode;
    final int[] blockModes = new int[16];

    /** Sixteen blocks of luma, four of each chroma, sixteen coefficients each. */
    final short[] coefficients = new short[24 * 16];

    /** Reads the modes; {@code above} and {@code left} are those of the blocks at the edges, and become this one's. */
    void readModes(FrameHeader header, BooleanDecoder in, byte[] above, int column, byte[] left) {
        segment = header.segment(in);
        skipped = header.skipped(in);
        parted = in.bit(145) == 0;
        if (parted) {
            for (int i = 0; i < 16; i++) {
                int x = 4 * column + i % 4;
                int node = 0;
                while (node >= 0) {
                    node = TREE[node][in.bit(Probabilities.blockMode(above[x], left[i / 4], node))];
                }
                blockModes[i] = ~node;
                above[x] = (byte) ~node;
                left[i / 4] = (byte) ~node;
            }
        } else {
            if (in.bit(156) == 1) {
                lumaMode = in.bit(128) == 1 ? TRUE_MOTION : HORIZONTAL;
            } else {
                lumaMode = in.bit(163) == 1 ? VERTICAL : MEAN;
            }
            for (int i = 0; i < 4; i++) {
                above[4 * column + i] = (byte) lumaMode;
                left[i] = (byte) lumaMode;
            }
        }
        if (in.bit(142) == 0) {
            chromaMode = MEAN;
        } else if (in.bit(114) == 0) {
            chromaMode = VERTICAL;
        } else {
            chromaMode = in.bit(183) == 1 ? TRUE_MOTION : HORIZONTAL;
        }
    }
}
