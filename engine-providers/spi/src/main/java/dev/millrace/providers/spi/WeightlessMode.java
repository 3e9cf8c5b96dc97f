package dev.millrace.providers.spi;

/** Which weights of its source model a context binary names, rather than to hold them. */
public enum WeightlessMode {
    /** None: the binary holds all. */
    NONE,
    /** Those that lie in files of external data. */
    EXTERNAL_ONLY,
    /** All, also those that stand in the source model's own file. */
    ALL;

    /** How options and metadata spell it. */
    public String code() {
        return Integer.toString(ordinal());
    }
}
