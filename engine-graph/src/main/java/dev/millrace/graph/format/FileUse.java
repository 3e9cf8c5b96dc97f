package dev.millrace.graph.format;

import dev.millrace.memory.MappingGuard;

/**
 * The choice between reading and mapping the files of a model: the model itself, its external data, its context
 * binaries.
 */
public enum FileUse {
    /**
     * Files of up to 32 MB are read, larger ones are mapped. Context binaries, which are replaced and not written over,
     * are mapped from 128 KB on, where a file that is cut short does not end the process.
     */
    BY_SIZE,
    /** Files are read as a whole into the engine's own memory. Later changes of a file have no effect. */
    READ,
    /**
     * Files are mapped, which takes no memory of the engine's own and is shared with other processes. A file may be
     * replaced or removed meanwhile. If one is truncated in place, runs and preparation that use it end with an {@link
     * dev.millrace.graph.EngineException} on Linux on x86-64, and the process ends elsewhere; a file that is
     * overwritten in place gives wrong answers.
     */
    MAP;

    private static final long MOST_READ = 32L << 20;
    private static final long MOST_READ_OF_BINARIES = 128L << 10;

    /** Whether a file of so many bytes is read. */
    public boolean reads(long bytes) {
        return this == READ || this == BY_SIZE && bytes <= MOST_READ;
    }

    /**
     * Whether a context binary of so many bytes is read. Reading one takes as long as all else that creating the
     * session of a context model takes.
     */
    public boolean readsBinary(long bytes) {
        return reads(bytes) && (this == READ || bytes <= MOST_READ_OF_BINARIES || !MappingGuard.isPossible());
    }
}
