package dev.millrace.providers.spi;

import java.lang.foreign.MemorySegment;

/** A compiled partition out of a context binary. It comes from outside: the provider checks every number in it. */
public interface CompiledGraph {
    String partition();

    /** The plan as {@link ContextSink#graph} took it; read-only. */
    MemorySegment plan();

    int segmentCount();

    /**
     * A segment of the graph's own list: mapped and read-only, loaded when it is first touched. One that the binary names
     * lies in the source model's memory, aligned as it is there.
     */
    MemorySegment segment(int index);
}
