package dev.millrace.providers.simd.context;

/**
 * The constants of the plan format, which writer and reader share. A plan is a mark and a version of four bytes each,
 * then whether sums are strict, texts, small constants, tensors, packed weights, unpacking maps, choices and the graph.
 * Numbers are varints (LEB128) of seven bits a byte, the lowest first; signed ones are zigzag-coded, so that small ones
 * are short. Every list is preceded by its length.
 */
final class PlanFormat {
    /** The letters MRSP. */
    static final int MARK = 0x5053_524d;

    static final int VERSION = 7;

    /**
     * The first of the codes that tell where the elements of a tensor are: not kept, among the small constants, in a
     * segment, or as strings.
     */
    static final int LEFT_OUT = 0;

    static final int SMALL = 1;
    static final int IN_SEGMENT = 2;
    static final int STRINGS = 3;

    /** The most bytes of a constant that lies in the plan itself. */
    static final long MOST_SMALL_BYTES = 128;

    /** The alignment of small constants, in bytes. */
    static final long SMALL_ALIGNMENT = 16;

    /** The alignment of data in segments, in bytes. */
    static final long ALIGNMENT = 64;

    /** The first of the codes of value types. */
    static final int NO_TYPE = 0;

    static final int TENSOR_TYPE = 1;
    static final int SPARSE_TYPE = 2;
    static final int SEQUENCE_TYPE = 3;
    static final int OPTIONAL_TYPE = 4;
    static final int MAP_TYPE = 5;

    static final int UNKNOWN_DIM = 0;
    static final int KNOWN_DIM = 1;
    static final int SYMBOL_DIM = 2;

    /** The first of the codes of attributes, by their kind. */
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

    /** The deepest nesting of graphs and types. */
    static final int DEEPEST = 32;

    private PlanFormat() {}

    static long align(long offset, long alignment) {
        return Math.ceilDiv(offset, alignment) * alignment;
    }
}
