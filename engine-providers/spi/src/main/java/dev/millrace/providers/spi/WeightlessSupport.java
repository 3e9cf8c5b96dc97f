package dev.millrace.providers.spi;

/** Whether a provider's context binaries can leave weights out, and which. */
public enum WeightlessSupport {
    NONE,
    EXTERNAL_ONLY,
    ALL,
    ALL_OR_EXTERNAL_ONLY
}
