package dev.millrace.providers.spi;

/**
 * The versions of this interface. A factory returns {@link #CURRENT} from {@link ProviderFactory#spiVersion}: the compiler
 * puts the number of the interface that it sees into the provider's class, and an engine refuses a provider that was compiled
 * against a newer interface than its own.
 */
public final class SpiVersion {
    /** The first version, and that of factories that state none. */
    public static final int FIRST = 1;

    /** The version of this interface. */
    public static final int CURRENT = 2;

    private SpiVersion() {}
}
