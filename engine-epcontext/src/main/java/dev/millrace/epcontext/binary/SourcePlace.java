package dev.millrace.epcontext.binary;

/**
 * The place in a source model of a weight that a context binary names.
 *
 * @param initializer its name in the source model
 * @param file the source's file of external data that holds it, relative to the source's folder; empty if
 *     the source model's own file does
 * @param offset the offset in that file of external data
 */
public record SourcePlace(String initializer, String file, long offset) {
    /** Whether it is stored in a file of external data. */
    public boolean isExternal() {
        return !file.isEmpty();
    }

    @Override
    public String toString() {
        return "initializer '" + initializer + "'" + (isExternal() ? " in '" + file + "' at " + offset : "");
    }
}
