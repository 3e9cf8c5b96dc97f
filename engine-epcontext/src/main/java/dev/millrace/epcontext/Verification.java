package dev.millrace.epcontext;

/**
 * When the content of context binaries is held against what was written. Their tables and plans are in any case, before they are
 * used, and so is which binary belongs to a model.
 */
public enum Verification {
    /** When a session is made: a binary is read to the end before an engine uses it for the first time. */
    AT_ONCE,
    /**
     * When a run needs it: each segment is held against its digest before a provider gets it, once for as long as the binary
     * is open. What is never run is never read, and damage ends the run that meets it.
     */
    WHEN_TOUCHED,
    /** Never. A weight that was damaged goes unnoticed, and answers are wrong. */
    NEVER
}
