package dev.millrace.providers.spi;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The weights that a provider's context binaries can name in the source model in place of holding them. */
public enum WeightlessSupport {
    NONE,
    EXTERNAL_ONLY,
    ALL,
    ALL_OR_EXTERNAL_ONLY;

    /** The key in {@link ProviderDevice#metadata} under which {@link #text} is found before there is a provider. */
    public static final String METADATA = "weightless_supported_modes";

    /** The key of devices whose provider is older than {@link #ALL_OR_EXTERNAL_ONLY}. */
    private static final String OLDER_METADATA = "weightless_support";

    /** The text that a device's metadata has for the support, by the current key or the older one; null for none. */
    public static @Nullable String saidBy(Map<String, String> metadata) {
        String said = metadata.get(METADATA);
        return said == null ? metadata.get(OLDER_METADATA) : said;
    }

    /** Whether binaries can be made in a mode. */
    public boolean covers(WeightlessMode mode) {
        return switch (mode) {
            case NONE -> true;
            case EXTERNAL_ONLY -> this == EXTERNAL_ONLY || this == ALL_OR_EXTERNAL_ONLY;
            case ALL -> this == ALL || this == ALL_OR_EXTERNAL_ONLY;
        };
    }

    /** The spelling in metadata. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Parses the spelling in metadata; a text that matches none gives {@link #NONE}. */
    public static WeightlessSupport of(String text) {
        return List.of(values()).stream()
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElse(NONE);
    }
}
