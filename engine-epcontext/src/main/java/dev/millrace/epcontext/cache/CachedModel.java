package dev.millrace.epcontext.cache;

import java.nio.file.Path;
import java.time.Instant;

/**
 * An entry of a cache.
 *
 * @param source the model that it was made from, or empty where that is not known
 * @param settings with which it was compiled
 * @param trouble why no session will be made from it; empty where one may
 */
public record CachedModel(Path folder, String source, String settings, long bytes, Instant used, String trouble) {
    public boolean isUsable() {
        return trouble.isEmpty();
    }
}
