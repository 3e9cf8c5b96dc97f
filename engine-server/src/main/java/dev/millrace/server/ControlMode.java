package dev.millrace.server;

/** The way in which a server learns of changes of its repositories. */
public enum ControlMode {
    /** All models are loaded at the start, and changes are not looked for. */
    NONE,
    /** All models are loaded at the start, and the folders are looked through in intervals. */
    POLL,
    /** No model is loaded at the start but those that are named; requests load and unload models. */
    EXPLICIT
}
