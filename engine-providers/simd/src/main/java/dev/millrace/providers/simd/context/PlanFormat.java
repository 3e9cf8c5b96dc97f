package dev.millrace.providers.simd.context;

/**
 * Numbers that writer and reader of plans share. A plan is a mark and a version of four bytes each, then whether sums are
 * strict, texts, small constants, tensors, packed weights, ways back, choices and the graph. Numbers are varints of seven bits a
 * byte, the lowest first; signed ones are folded, so that small ones are short. Everything is counted before it is listed.
 */
final class PlanFormat {
    /** The letters MRSP. */
    static final int MARK = 0x5053_524d;

    static final int VERSION = 7;

    /** Elements of a tensor: not kept, among the small constants, in a segment. */
    static final int LEFT_OUT = 0;

    static final int SMALL = 1;
    static final int IN_SEGMENT = 2;
    static final int STRINGS = 3;

    /** Constants of so many bytes and fewer lie in the plan itself. */
    static final long MOST_SMALL_BYTES = 128;

    /** Small constants start at a multiple of this. */
    static final long SMALL_ALIGNMENT = 16;

    /** What lies in segments starts at a multiple of this. */
    static final long ALIGNMENT = 64;

    /** Types as values have them. */
    static final int NO_TYPE = 0;

    static final int TENSOR_TYPE = 1;
    static final int SPARSE_TYPE = 2;
    static final int SEQUENCE_TYPE = 3;
    static final int OPTIONAL_TYPE = 4;
    static final int MAP_TYPE = 5;

    static final int UNKNOWN_DIM = 0;
    static final int KNOWN_DIM = 1;
    static final int SYMBOL_DIM = 2;

    /** Attributes, by what they hold. */
    static final int INT = 1;

    static final int FLOAT = 2;
    static final int TEXT = 3;
    static final int TENSOR = 4;
    static final int GRAPH = 5;
    static final int TYPE = 6;
    static final int INTS = 7;
    static final int FLOATS = 8;
    static final int TEXTS = 9;
    static final int TENSORS = 10;
    static final int GRAPHS = 11;
    static final int TYPES = 12;
    static final int SPARSE = 13;

    /** So deep may graphs and types be nested. */
    static final int DEEPEST = 32;

    private PlanFormat() {}

    static long align(long offset, long alignment) {
        return Math.ceilDiv(offset, alignment) * alignment;
    }
}
