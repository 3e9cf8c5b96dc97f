package dev.millrace.providers.spi;

/** A provider's way to record what a run queues on its device, and to queue it again in one call. */
public interface GraphCapture {
    /** Which nodes may be left to another provider while capture is on. */
    enum Assignment {
        ALL_NODES_ON_PROVIDER,
        ALLOW_CPU_FOR_SHAPES
    }

    default Assignment assignment() {
        return Assignment.ALL_NODES_ON_PROVIDER;
    }

    /** Whether the graph of this number has been recorded. */
    boolean isCaptured(int graph);

    /** Queues a recorded graph again. */
    void replay(int graph);

    /** Forgets a recorded graph. */
    void release(int graph);
}
