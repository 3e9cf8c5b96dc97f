package dev.millrace.server;

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

    static ModelServer start(Path folder) {
        return ModelServer.start(options(folder).build());
    }
}
