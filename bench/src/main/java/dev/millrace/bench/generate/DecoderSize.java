package dev.millrace.bench.generate;

/**
 * The extents of a decoder.
 *
 * @param depth the elements of a head
 * @param inner the width between the products of a feed-forward layer
 * @param context the positions that the tables of angles have
 */
record DecoderSize(int layers, int hidden, int heads, int keyHeads, int depth, int inner, int words, int context) {
    /** The extents of TinyLlama, with 1.1 billion parameters. */
    static DecoderSize ofTinyLlama(int layers) {
        return new DecoderSize(layers, 2048, 32, 4, 64, 5632, 32_000, 4096);
    }

    int keyWidth() {
        return keyHeads * depth;
    }
}
