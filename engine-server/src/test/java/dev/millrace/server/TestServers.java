package dev.millrace.server;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.session.EngineOptions;
import java.nio.file.Path;
import java.time.Duration;

/** Servers on free ports of loopback. */
final class TestServers {
    private TestServers() {}

    static ServerOptions.Builder options(Path folder) {
        return ServerOptions.builder()
                .repositories(folder)
                .httpPort(0)
                .grpcPort(0)
                .metricsPort(0)
                .drain(Duration.ofSeconds(5))
                .engine(EngineOptions.builder().threads(2).build());
    }

    /** Options of a server of the folder {@code models} of a folder; the context cache lies beside it. */
    static ServerOptions.Builder cachedOptions(Path folder) {
        return options(folder.resolve("models"))
                .engine(EngineOptions.builder()
                        .threads(2)
                        .contextCache(ContextCache.in(folder.resolve("cache")))
                        .build());
    }

    static ModelServer start(Path folder) {
        return ModelServer.start(options(folder).build());
    }
}
