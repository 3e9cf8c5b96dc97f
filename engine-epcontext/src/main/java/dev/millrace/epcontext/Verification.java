package dev.millrace.epcontext;

/**
 * When the content of context binaries is held against what was written, and how. Their tables and plans are against checksums in
 * any case, before they are used, and so is which binary belongs to a model.
 */
public enum Verification {
    /**
     * When a session is made, by SHA-256: a binary is read to the end before an engine uses it for the first time. The model names its
     * binary by a digest that covers those of all plans and segments, so that a session of a model that is trusted computes with
     * what was compiled with it, whoever the binary comes from. A binary inside of a model is held against its checksum: who could change it
     * could change the model.
     */
    AT_ONCE,
    /**
     * When a run needs it, by SHA-256: each segment is held against its digest before a provider gets it, once for as long as the
     * binary is open. What is never run is never read, and damage ends the run that meets it.
     */
    WHEN_TOUCHED,
    /**
     * When a session is made, by a checksum (CRC-32C), some ten times as fast: for binaries that nobody but the user can have written. It
     * finds accidents, and nothing that was changed on purpose.
     */
    CHECKSUM,
    /** Never. A weight that was damaged goes unnoticed, and answers are wrong. */
    NEVER
}
