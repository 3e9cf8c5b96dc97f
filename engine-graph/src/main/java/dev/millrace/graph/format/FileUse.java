package dev.millrace.graph.format;

/** What becomes of the files that a model is read from: the model, its external data, its context binaries. */
public enum FileUse {
    /** What is needed of them is read into memory of the engine's own. Whatever happens to a file afterwards is no matter. */
    READ,
    /**
     * They are mapped, which takes no memory of the engine's own and is shared with other processes. A file may be replaced
     * or removed meanwhile, but whoever cuts it short where it lies ends the process, and what is overwritten there gives
     * wrong answers.
     */
    MAP
}
