package dev.millrace.providers.spi;

import java.util.List;
import java.util.Locale;

/** Which weights a provider's context binaries can name in their source, rather than to hold them. */
public enum WeightlessSupport {
    NONE,
    EXTERNAL_ONLY,
    ALL,
    ALL_OR_EXTERNAL_ONLY;

    /** The entry of {@link ProviderDevice#metadata} that says it before there is a provider, as {@link #text}. */
    public static final String METADATA = "weightless_supported_modes";

    /** Whether binaries can be made so. */
    public boolean covers(WeightlessMode mode) {
        return switch (mode) {
            case NONE -> true;
            case EXTERNAL_ONLY -> this == EXTERNAL_ONLY || this == ALL_OR_EXTERNAL_ONLY;
            case ALL -> this == ALL || this == ALL_OR_EXTERNAL_ONLY;
        };
    }

    /** How metadata spells it. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What metadata says: nothing is {@link #NONE}, and so is what nobody spells so. */
    public static WeightlessSupport of(String text) {
        return List.of(values()).stream()
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElse(NONE);
    }
}
