package dev.millrace.server.rest;

import com.google.protobuf.MessageOrBuilder;
import dev.millrace.graph.EngineException;
import dev.millrace.server.config.ConfigFile;
import dev.millrace.server.endpoint.SharedParts;
import dev.millrace.server.model.LoadedVersion;
import dev.millrace.server.model.ServerDescription;
import dev.millrace.server.model.SharedMemory;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.setting.ServerSettings;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The routes of the protocol about the server and its models: health, descriptions, statistics and settings. */
public final class ProtocolRoutes {
    private final ModelRepository repository;
    private final ServerSettings settings;
    private final BooleanSupplier ready;

    public ProtocolRoutes(SharedParts shared) {
        repository = shared.repository();
        settings = shared.settings();
        ready = shared.ready();
    }

    public void addTo(HttpRouter router) {
        get(router, "v2", _ -> message(ServerDescription.server()));
        router.openRoute(
                HttpMethod.GET, "v2/health/live", _ -> Mono.fromSupplier(() -> HttpAnswer.json(Map.of("live", true))));
        router.openRoute(HttpMethod.GET, "v2/health/ready", _ -> Mono.fromSupplier(this::serverReady));
        get(router, "v2/models/stats", call -> message(repository.statistics(call.permissions()::maySee)));
        for (String model : List.of("v2/models/*", "v2/models/*/versions/*")) {
            get(router, model, call -> onVersion(call, this::metadata));
            get(
                    router,
                    model + "/config",
                    call -> onVersion(call, version -> message(version.model().config())));
            get(router, model + "/ready", this::modelReady);
            get(router, model + "/stats", call -> statistics(call.variable(0), call.variable(1)));
        }
        settings(router, "v2/logging", _ -> {}, settings::log, settings::changeLog);
        settings(router, "v2/trace/setting", _ -> {}, ServerSettings::trace, ServerSettings::changeTrace);
        settings(
                router,
                "v2/models/*/trace/setting",
                call -> repository.require(call.variable(0)),
                ServerSettings::trace,
                ServerSettings::changeTrace);
        for (String memory : List.of("v2/systemsharedmemory", "v2/cudasharedmemory")) {
            get(router, memory + "/status", _ -> sharedMemory());
            get(router, memory + "/region/*/status", _ -> sharedMemory());
            for (String verb : List.of("/unregister", "/region/*/register", "/region/*/unregister")) {
                router.route(HttpMethod.POST, memory + verb, _ -> Mono.fromSupplier(ProtocolRoutes::sharedMemory));
            }
        }
    }

    private static void get(HttpRouter router, String path, Function<HttpCall, HttpAnswer> handler) {
        router.route(HttpMethod.GET, path, call -> Mono.fromSupplier(() -> handler.apply(call)));
    }

    /** @param check refuses calls */
    private static void settings(
            HttpRouter router,
            String path,
            Consumer<HttpCall> check,
            Supplier<Map<String, Object>> now,
            Function<Map<String, @Nullable Object>, Map<String, Object>> change) {
        get(router, path, call -> {
            check.accept(call);
            return HttpAnswer.json(now.get());
        });
        router.route(
                HttpMethod.POST,
                path,
                call -> call.json().map(changes -> {
                    check.accept(call);
                    return HttpAnswer.json(change.apply(changes));
                }));
    }

    private static HttpAnswer sharedMemory() {
        throw EngineException.notImplemented(SharedMemory.REFUSAL);
    }

    private static HttpAnswer message(MessageOrBuilder message) {
        return HttpAnswer.json(ConfigFile.tree(message));
    }

    private static HttpAnswer health(Object tree, boolean good) {
        return HttpAnswer.json(good ? HttpResponseStatus.OK : HttpResponseStatus.SERVICE_UNAVAILABLE, tree);
    }

    private HttpAnswer serverReady() {
        boolean isReady = ready.getAsBoolean();
        return health(Map.of("ready", isReady), isReady);
    }

    private HttpAnswer onVersion(HttpCall call, Function<LoadedVersion, HttpAnswer> handler) {
        LoadedVersion version = repository.acquire(call.variable(0), call.variable(1));
        try {
            return handler.apply(version);
        } finally {
            version.release();
        }
    }

    private HttpAnswer metadata(LoadedVersion version) {
        return message(ServerDescription.model(version.model().config(), repository.versions(version.name())));
    }

    private HttpAnswer modelReady(HttpCall call) {
        boolean isReady = repository.isReady(call.variable(0), call.variable(1));
        return health(Map.of("name", call.variable(0), "ready", isReady), isReady);
    }

    private HttpAnswer statistics(String name, String version) {
        return message(repository.statistics(name, version));
    }
}
