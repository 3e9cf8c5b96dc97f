package dev.millrace.server.rest;

import dev.millrace.server.access.Permissions;
import io.netty.handler.codec.http.HttpMethod;
import java.util.List;
import java.util.Set;

/** The permission that a route asks of a token. A route that is not named here takes a token without limits. */
enum RouteAccess {
    /** Any token; the handler leaves out what the token does not permit. */
    FILTERED,
    /** A token that tells of the model that the path names. */
    SEE,
    INFER,
    CHANGE,
    EVERYTHING;

    private static final Set<String> FILTERED_PATHS = Set.of(
            "v2",
            "v2/models/stats",
            "v2/repository/index",
            "v1/models",
            "v1/models/*",
            "v1/embeddings",
            "v1/rerank",
            "v1/completions",
            "v1/chat/completions",
            "ui/state",
            "ui/requests");

    static RouteAccess of(HttpMethod method, String path) {
        if (FILTERED_PATHS.contains(path)) {
            return FILTERED;
        }
        if (path.startsWith("v2/models/*")) {
            return method.equals(HttpMethod.GET) ? SEE : INFER;
        }
        if (path.startsWith("ui/graph/*")) {
            return SEE;
        }
        return path.startsWith("v2/repository/models/*") ? CHANGE : EVERYTHING;
    }

    /** @param variables those of the path; the first one is the model's name */
    void check(Permissions permissions, List<String> variables) {
        switch (this) {
            case FILTERED -> {}
            case SEE -> permissions.requireSee(variables.getFirst());
            case INFER -> permissions.requireInfer(variables.getFirst());
            case CHANGE -> permissions.requireChange(variables.getFirst());
            case EVERYTHING -> permissions.requireAll();
        }
    }
}
