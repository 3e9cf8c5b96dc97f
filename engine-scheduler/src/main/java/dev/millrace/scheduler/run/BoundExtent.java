package dev.millrace.scheduler.run;

/** How far a plan could be bound before its first run. */
public enum BoundExtent {
    /** The inputs do not suit it. */
    NOTHING,
    /** Up to where it depends on contents. */
    PART,
    WHOLE
}
