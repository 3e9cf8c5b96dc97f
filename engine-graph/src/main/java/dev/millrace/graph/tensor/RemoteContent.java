package dev.millrace.graph.tensor;

import java.lang.foreign.MemorySegment;

/** The content of a tensor that lies elsewhere than in memory that Java reads, such as on a device. */
public interface RemoteContent {
    /** Returns a copy in host memory, as long as the elements need. The first call makes it, and waits. */
    MemorySegment onHost();

    /** Frees the content. Called once. */
    void free();
}
