package dev.millrace.providers.spi;

/** How well a compiled model suits the devices at hand. */
public enum Compatibility {
    /** The provider has nothing to say. */
    NOT_APPLICABLE,
    OPTIMAL,
    /** It runs, but compiling again would make it faster. */
    PREFER_RECOMPILATION,
    UNSUPPORTED
}
