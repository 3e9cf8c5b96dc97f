package dev.millrace.providers.spi;

import java.lang.foreign.MemorySegment;

/** Takes what a provider compiled, to be written into a context binary. */
public interface ContextSink {
    /**
     * Takes one block of bulk data, such as packed weights. Equal content is kept once. The memory is read when the binary
     * is written and must not change until then.
     *
     * @return the number to name the segment by in {@link #graph}
     */
    int segment(MemorySegment data);

    /**
     * Whether memory is a constant of the source model that is not to be kept: as a segment of its own it is named, and
     * comes back from the source when the binary is loaded. A provider whose {@link ExecutionProvider#weightlessSupport}
     * says so hands in such constants as they are, one by one, in place of what it makes of them.
     */
    default boolean names(MemorySegment data) {
        return false;
    }

    /**
     * Takes a compiled partition.
     *
     * @param plan what the provider needs to make its kernel again; it never holds code
     * @param segments the segments that it refers to, by their place in this array
     */
    void graph(Partition partition, byte[] plan, int[] segments);
}
