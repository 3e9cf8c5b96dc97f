package dev.millrace.providers.spi;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which weights a provider's context binaries can name in their source, rather than to hold them. */
public enum WeightlessSupport {
    NONE,
    EXTERNAL_ONLY,
    ALL,
    ALL_OR_EXTERNAL_ONLY;

    /** The entry of {@link ProviderDevice#metadata} that says it before there is a provider, as {@link #text}. */
    public static final String METADATA = "weightless_supported_modes";

    /** The entry that says it where providers know of {@link #ALL_OR_EXTERNAL_ONLY} by no name yet. */
    private static final String OLDER_METADATA = "weightless_support";

    /** What a device's metadata says, as text; null where it says nothing. */
    public static @Nullable String saidBy(Map<String, String> metadata) {
        String said = metadata.get(METADATA);
        return said == null ? metadata.get(OLDER_METADATA) : said;
    }

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
