package dev.millrace.graph.format;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Hears of external data while a model is read. */
public interface DataListener {
    /** A file, before it is read, by the name that the model has for it: links are not followed. */
    default void opened(Path file) {}

    /** A tensor's bytes, and where they lie. */
    default void placed(MemorySegment bytes, DataPlace place) {}
}
