package dev.millrace.providers.spi;

import dev.millrace.graph.EngineException;
import java.lang.foreign.MemorySegment;
import java.util.Collection;

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

    /**
     * Takes a container in the provider's own format that holds all of its partitions, in place of {@link #graph} and {@link
     * #segment}. It is written as it is, and {@link CompileContext#blobs} gives it back. Its memory must not change until
     * then.
     */
    default void container(Collection<Partition> partitions, MemorySegment content) {
        throw EngineException.notImplemented("no containers of a provider's own are kept here");
    }

    /** Sets the facts that the EPContext node of a partition states. */
    default void describe(Partition partition, ContextFacts facts) {
        // a sink that writes no nodes has no use for them
    }
}
