package dev.millrace.server;

import dev.millrace.graph.EngineException;
import dev.millrace.session.EngineOptions;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of a server. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param repositories the folders of models; the first one that has a name wins
 * @param remoteRepositories the names of folders of models in their {@linkplain dev.millrace.server.source.ModelSource sources};
 *     those on this machine go before
 * @param models the names of models in their {@linkplain dev.millrace.server.source.ModelSource sources}, by the names that
 *     they are served under
 * @param host the address to listen at
 * @param httpPort the port of HTTP; 0 for any free one
 * @param grpcPort the port of gRPC; 0 for any free one
 * @param metricsPort the port that answers questions about metrics alone; 0 for any free one. The port of HTTP answers them,
 *     too
 * @param control how changes of the repositories are learnt of
 * @param loaded the models that are loaded at the start, in the mode {@link ControlMode#EXPLICIT}
 * @param pollInterval the time between two looks at the repositories, in the mode {@link ControlMode#POLL}
 * @param tokens the bearer tokens, one of which requests need; empty for none
 * @param certificate the file of the certificate chain of TLS (PEM); null for no TLS
 * @param key the file of the certificate's private key (PEM); null for no TLS
 * @param clientCertificates the file of the authorities whose clients are let in (PEM); null for all clients
 * @param maxBodyBytes the most bytes of a body of HTTP or a message of gRPC
 * @param maxRequests the requests that are handled at once by each protocol; further ones are refused
 * @param httpCompression how answers by HTTP of more than 1 KiB are compressed for clients that accept it
 * @param grpcCompression how gRPC's messages of more than 1 KiB are compressed for clients that accept it, as nearly all do
 * @param accessLog whether each request is written to the log
 * @param dashboard whether the port of HTTP has a page for operators at {@code /ui}
 * @param observations the registry whose handlers hear of requests, their waiting and their runs; {@link
 *     ObservationRegistry#NOOP} for none
 * @param genAiTelemetry whether generations have OpenTelemetry's names {@code gen_ai.*} in observations and metrics, which
 *     may change
 * @param drain the time that requests have to end when the server is closed
 * @param engine the options of the engine
 */
public record ServerOptions(
        List<Path> repositories,
        List<String> remoteRepositories,
        Map<String, String> models,
        String host,
        int httpPort,
        int grpcPort,
        int metricsPort,
        ControlMode control,
        List<String> loaded,
        Duration pollInterval,
        List<AccessToken> tokens,
        @Nullable Path certificate,
        @Nullable Path key,
        @Nullable Path clientCertificates,
        int maxBodyBytes,
        int maxRequests,
        Compression httpCompression,
        Compression grpcCompression,
        boolean accessLog,
        boolean dashboard,
        ObservationRegistry observations,
        boolean genAiTelemetry,
        Duration drain,
        EngineOptions engine) {
    private static final int HIGHEST_PORT = 65_535;

    public ServerOptions {
        repositories = List.copyOf(repositories);
        remoteRepositories = List.copyOf(remoteRepositories);
        models = Map.copyOf(models);
        loaded = List.copyOf(loaded);
        tokens = List.copyOf(tokens);
        if (repositories.isEmpty() && remoteRepositories.isEmpty() && models.isEmpty()) {
            throw EngineException.invalidArgument("a server needs a folder of models, or a model by name");
        }
        if ((certificate == null) != (key == null)) {
            throw EngineException.invalidArgument("TLS needs a certificate and its key");
        }
        if (clientCertificates != null && certificate == null) {
            throw EngineException.invalidArgument(
                    "clients show certificates by TLS, which needs the server's certificate");
        }
        for (int port : new int[] {httpPort, grpcPort, metricsPort}) {
            if (port < 0 || port > HIGHEST_PORT) {
                throw EngineException.invalidArgument("a port is " + port + "; it is from 0 to " + HIGHEST_PORT);
            }
        }
        if (maxBodyBytes < 1 || maxRequests < 1) {
            throw EngineException.invalidArgument(
                    "maxBodyBytes is " + maxBodyBytes + " and maxRequests " + maxRequests + "; they are at least 1");
        }
        if (pollInterval.isNegative() || pollInterval.isZero() || drain.isNegative()) {
            throw EngineException.invalidArgument(
                    "pollInterval is " + pollInterval + " and drain " + drain + "; they are positive and not negative");
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder of options of a server. Every option but the repositories has a default. */
    public static final class Builder {
        private List<Path> repositories = List.of();
        private List<String> remoteRepositories = List.of();
        private final Map<String, String> models = new LinkedHashMap<>();
        private String host = "127.0.0.1";
        private int httpPort = 8000;
        private int grpcPort = 8001;
        private int metricsPort = 8002;
        private ControlMode control = ControlMode.NONE;
        private List<String> loaded = List.of();
        private Duration pollInterval = Duration.ofSeconds(15);
        private List<AccessToken> tokens = List.of();
        private @Nullable Path certificate;
        private @Nullable Path key;
        private @Nullable Path clientCertificates;
        private int maxBodyBytes = Integer.MAX_VALUE;
        private int maxRequests = 4096;
        private Compression httpCompression = Compression.LOW;
        private Compression grpcCompression = Compression.NONE;
        private boolean accessLog;
        private boolean dashboard = true;
        private ObservationRegistry observations = ObservationRegistry.NOOP;
        private boolean genAiTelemetry;
        private Duration drain = Duration.ofSeconds(30);
        private EngineOptions engine = EngineOptions.defaults();

        private Builder() {}

        public Builder repositories(Path... folders) {
            repositories = List.of(folders);
            return this;
        }

        /** Sets folders of models in sources, such as {@code s3://bucket/models/}. */
        public Builder remoteRepositories(String... names) {
            remoteRepositories = List.of(names);
            return this;
        }

        /**
         * Adds a model that a source has.
         *
         * @param name the name that it is served under
         * @param source its name in the source, such as {@code hf:org/name/onnx/model.onnx}
         */
        public Builder model(String name, String source) {
            models.put(name, source);
            return this;
        }

        public Builder host(String address) {
            host = address;
            return this;
        }

        public Builder httpPort(int port) {
            httpPort = port;
            return this;
        }

        public Builder grpcPort(int port) {
            grpcPort = port;
            return this;
        }

        public Builder metricsPort(int port) {
            metricsPort = port;
            return this;
        }

        public Builder control(ControlMode mode) {
            control = mode;
            return this;
        }

        public Builder loaded(String... models) {
            loaded = List.of(models);
            return this;
        }

        public Builder pollInterval(Duration interval) {
            pollInterval = interval;
            return this;
        }

        /** Lets those in that have this token, to do everything. */
        public Builder token(String secret) {
            return tokens(AccessToken.ofEverything(secret));
        }

        public Builder tokens(AccessToken... all) {
            tokens = List.of(all);
            return this;
        }

        public Builder tls(Path chain, Path privateKey) {
            certificate = chain;
            key = privateKey;
            return this;
        }

        public Builder clientCertificates(Path authorities) {
            clientCertificates = authorities;
            return this;
        }

        public Builder maxBodyBytes(int bytes) {
            maxBodyBytes = bytes;
            return this;
        }

        public Builder maxRequests(int count) {
            maxRequests = count;
            return this;
        }

        public Builder httpCompression(Compression level) {
            httpCompression = level;
            return this;
        }

        public Builder grpcCompression(Compression level) {
            grpcCompression = level;
            return this;
        }

        public Builder accessLog(boolean value) {
            accessLog = value;
            return this;
        }

        public Builder dashboard(boolean value) {
            dashboard = value;
            return this;
        }

        public Builder observations(ObservationRegistry registry) {
            observations = registry;
            return this;
        }

        public Builder genAiTelemetry(boolean value) {
            genAiTelemetry = value;
            return this;
        }

        public Builder drain(Duration time) {
            drain = time;
            return this;
        }

        public Builder engine(EngineOptions options) {
            engine = options;
            return this;
        }

        public ServerOptions build() {
            return new ServerOptions(
                    repositories,
                    remoteRepositories,
                    models,
                    host,
                    httpPort,
                    grpcPort,
                    metricsPort,
                    control,
                    loaded,
                    pollInterval,
                    tokens,
                    certificate,
                    key,
                    clientCertificates,
                    maxBodyBytes,
                    maxRequests,
                    httpCompression,
                    grpcCompression,
                    accessLog,
                    dashboard,
                    observations,
                    genAiTelemetry,
                    drain,
                    engine);
        }
    }
}
