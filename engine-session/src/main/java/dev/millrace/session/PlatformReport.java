package dev.millrace.session;

import dev.millrace.providers.spi.ProviderLevel;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * How an engine's providers compute on this machine.
 *
 * @param levels of the providers that can compute in several ways, by name, in the order in which they are asked
 * @param notes what makes models slower here than they could be, or endangers them, with what to do about it
 */
public record PlatformReport(Map<String, ProviderLevel> levels, List<String> notes) {
    public PlatformReport {
        levels = Collections.unmodifiableMap(new LinkedHashMap<>(levels));
        notes = List.copyOf(notes);
    }
}
