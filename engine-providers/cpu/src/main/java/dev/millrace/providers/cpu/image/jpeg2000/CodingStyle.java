package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;

/**
 * How a component's samples were taken apart.
 *
 * @param levels how often the wavelet transform was done
 * @param blockWidth the width of code blocks as a power of 2
 * @param blockHeight their height, likewise
 * @param blockStyle the flags of code blocks
 * @param reversible whether the transform is the one of whole numbers
 * @param precincts for each resolution the extents of precincts as powers of 2: width in the low digit, height in the high
 */
record CodingStyle(int levels, int blockWidth, int blockHeight, int blockStyle, boolean reversible, int[] precincts) {
    static final int BYPASS = 1;
    static final int RESET = 2;
    static final int TERMINATE = 4;
    static final int CAUSAL = 8;
    static final int SEGMENT_SYMBOLS = 32;

    static CodingStyle read(Bytes marker, boolean ownPrecincts) {
        int levels = marker.octet();
        int blockWidth = marker.octet() + 2;
        int blockHeight = marker.octet() + 2;
        int blockStyle = marker.octet();
        int transform = marker.octet();
        if (levels > 32 || blockWidth > 10 || blockHeight > 10 || blockWidth + blockHeight > 12 || transform > 1) {
            throw new IllegalArgumentException("a coding style of " + levels + " levels, blocks of 2^" + blockWidth
                    + " × 2^" + blockHeight + " and transform " + transform
                    + "; possible are 32 levels, 4096 samples in a block, transforms 0 and 1");
        }
        if (blockStyle > 63) {
            throw new UnsupportedOperationException("code blocks of style " + blockStyle + ", as of high throughput");
        }
        int[] precincts = new int[levels + 1];
        for (int i = 0; i <= levels; i++) {
            precincts[i] = ownPrecincts ? marker.octet() : 0xff;
            if (i > 0 && ((precincts[i] & 15) == 0 || precincts[i] < 16)) {
                throw new IllegalArgumentException("precincts of one sample in resolution " + i);
            }
        }
        return new CodingStyle(levels, blockWidth, blockHeight, blockStyle, transform == 1, precincts);
    }

    int precinctWidth(int resolution) {
        return precincts[resolution] & 15;
    }

    int precinctHeight(int resolution) {
        return precincts[resolution] >> 4;
    }

    boolean has(int flag) {
        return (blockStyle & flag) != 0;
    }
}
