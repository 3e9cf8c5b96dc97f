package dev.millrace.server.rest;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.repository.IndexRow;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.repository.RepositoryControl;
import dev.millrace.server.tensor.JsonTree;
import io.netty.handler.codec.http.HttpMethod;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The routes of the model repository extension. */
public final class RepositoryRoutes {
    private final ModelRepository repository;
    private final RepositoryControl control;

    public RepositoryRoutes(ModelRepository repository, RepositoryControl control) {
        this.repository = repository;
        this.control = control;
    }

    public void addTo(HttpRouter router) {
        router.route(HttpMethod.POST, "v2/repository/index", this::index);
        router.route(HttpMethod.POST, "v2/repository/models/*/load", this::load);
        router.route(HttpMethod.POST, "v2/repository/models/*/unload", this::unload);
        for (String verb : List.of("index", "models/*/load", "models/*/unload")) {
            router.route(
                    HttpMethod.POST,
                    "v2/repository/*/" + verb,
                    _ -> Mono.error(() -> EngineException.notImplemented(
                            "repositories have no names here; leave the name out of the path")));
        }
    }

    private Mono<HttpAnswer> index(HttpCall call) {
        return call.json()
                .map(body -> HttpAnswer.json(repository.index(Boolean.TRUE.equals(body.get("ready"))).stream()
                        .filter(row -> call.permissions().maySee(row.name()))
                        .map(RepositoryRoutes::tree)
                        .toList()));
    }

    private static Map<String, String> tree(IndexRow row) {
        var tree = new LinkedHashMap<String, String>();
        tree.put("name", row.name());
        if (!row.state().isEmpty()) {
            tree.put("version", row.version());
            tree.put("state", row.state());
        }
        if (!row.reason().isEmpty()) {
            tree.put("reason", row.reason());
        }
        return tree;
    }

    private Mono<HttpAnswer> load(HttpCall call) {
        return call.json().flatMap(body -> {
            String config = null;
            var files = new HashMap<String, byte[]>();
            for (Map.Entry<String, @Nullable Object> each : parameters(body).entrySet()) {
                switch (each.getKey()) {
                    case String name when name.equals("config") -> config = json(each.getValue());
                    case String name
                    when name.startsWith(RepositoryControl.FILE) ->
                        files.put(name.substring(RepositoryControl.FILE.length()), decoded(name, each.getValue()));
                    default -> throw RepositoryControl.unknown(each.getKey());
                }
            }
            return control.load(call.variable(0), config, files).thenReturn(HttpAnswer.empty());
        });
    }

    private Mono<HttpAnswer> unload(HttpCall call) {
        return call.json().flatMap(body -> {
            boolean dependents = Boolean.TRUE.equals(parameters(body).get("unload_dependents"));
            if (dependents) {
                call.permissions().requireAll();
            }
            return control.unload(call.variable(0), dependents).thenReturn(HttpAnswer.empty());
        });
    }

    /** Returns a configuration that was sent as a text of JSON, or as JSON. */
    private static String json(@Nullable Object config) {
        return config instanceof String text ? text : new String(JsonTree.bytes(config), StandardCharsets.UTF_8);
    }

    private static byte[] decoded(String name, @Nullable Object value) {
        try {
            return Base64.getDecoder().decode(value instanceof String text ? text : "?");
        } catch (IllegalArgumentException e) {
            throw new EngineException(Status.INVALID_ARGUMENT, "the parameter '" + name + "' is no base64", e);
        }
    }

    @SuppressWarnings("unchecked") // a JSON object has texts as its keys
    private static Map<String, @Nullable Object> parameters(Map<String, @Nullable Object> body) {
        return switch (body.get("parameters")) {
            case null -> Map.of();
            case Map<?, ?> map -> (Map<String, @Nullable Object>) map;
            default -> throw EngineException.invalidArgument("'parameters' is no object");
        };
    }
}
