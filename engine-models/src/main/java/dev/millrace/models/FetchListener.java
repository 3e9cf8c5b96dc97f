package dev.millrace.models;

/**
 * A listener to downloads. It is called by one thread at a time for each file, at the start, after each megabyte or so, and
 * at the end. Files that were there already are not reported.
 */
@FunctionalInterface
public interface FetchListener {
    /** A listener that does nothing. */
    FetchListener NONE = _ -> {};

    void onProgress(FetchProgress progress);
}
