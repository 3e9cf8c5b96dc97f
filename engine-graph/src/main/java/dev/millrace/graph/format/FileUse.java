package dev.millrace.graph.format;

import dev.millrace.memory.MappingGuard;

/** What becomes of the files that a model is read from: the model, its external data, its context binaries. */
public enum FileUse {
    /**
     * Files of up to 32 MB are read, larger ones are mapped. Context binaries, which are replaced and not written over, are
     * mapped from 128 KB on, where a file that is cut short does not end the process.
     */
    BY_SIZE,
    /**
     * They are read into memory of the engine's own, each as a whole. Whatever happens to a file afterwards is no matter.
     */
    READ,
    /**
     * They are mapped, which takes no memory of the engine's own and is shared with other processes. A file may be replaced
     * or removed meanwhile. Where somebody cuts one short where it lies, what uses it ends with an {@link
     * dev.millrace.graph.EngineException} on Linux on x86-64, and the process ends elsewhere; what is overwritten there
     * gives wrong answers.
     */
    MAP;

    private static final long MOST_READ = 32L << 20;
    private static final long MOST_READ_OF_BINARIES = 128L << 10;

    /** Whether a file of so many bytes is read. */
    public boolean reads(long bytes) {
        return this == READ || this == BY_SIZE && bytes <= MOST_READ;
    }

    /** The same of a context binary: to read it takes as long as all else that the session of a context model does. */
    public boolean readsBinary(long bytes) {
        return reads(bytes) && (this == READ || bytes <= MOST_READ_OF_BINARIES || !MappingGuard.isPossible());
    }
}
