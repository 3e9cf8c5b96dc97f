package dev.millrace.providers.spi;

/**
 * The way in which a provider computes on this machine, where it has several that differ in speed.
 *
 * @param name of the level, such as {@code avx512}
 * @param reason one line: what was found, or why the level is no better one
 * @param remedy what the user can do for a better level, such as an option of the JVM; empty where there is nothing to do
 */
public record ProviderLevel(String name, String reason, String remedy) {
    /** Whether models run more slowly than they could on this machine. */
    public boolean isLowered() {
        return !remedy.isEmpty();
    }

    /** One sentence about the level of a provider. */
    public String describe(String provider) {
        String text = "provider '" + provider + "' is at level '" + name + "': " + reason;
        return remedy.isEmpty() ? text : text + ". To make it faster, " + remedy;
    }
}
