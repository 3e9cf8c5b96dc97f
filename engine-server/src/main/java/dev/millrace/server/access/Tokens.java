package dev.millrace.server.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The tokens of a server. Without any, everybody may do everything. */
public final class Tokens {
    private final Map<String, Permissions> permissions;

    /** @param permissions what each token permits */
    public Tokens(Map<String, Permissions> permissions) {
        this.permissions = Map.copyOf(permissions);
    }

    /** Returns what a header Authorization permits, or null if it has none of the tokens. */
    public @Nullable Permissions of(@Nullable String authorization) {
        if (permissions.isEmpty()) {
            return Permissions.ALL;
        }
        byte[] given = String.valueOf(authorization).getBytes(StandardCharsets.UTF_8);
        Permissions found = null;
        // compares with all of them, so that the time tells nothing
        for (Map.Entry<String, Permissions> each : permissions.entrySet()) {
            if (MessageDigest.isEqual(("Bearer " + each.getKey()).getBytes(StandardCharsets.UTF_8), given)) {
                found = each.getValue();
            }
        }
        return found;
    }
}
