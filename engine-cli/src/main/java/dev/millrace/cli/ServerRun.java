package dev.millrace.cli;

import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.cli.show.PlainWriter;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.models.ModelName;
import dev.millrace.server.AccessToken;
import dev.millrace.server.Compression;
import dev.millrace.server.ControlMode;
import dev.millrace.server.ModelServer;
import dev.millrace.server.ServerOptions;
import dev.millrace.server.ServerTelemetry;
import dev.millrace.session.EngineOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** The work of {@code serve}: it serves, or prepares caches, as flags say. */
final class ServerRun implements Callable<Integer> {
    /** Held, because the log forgets the level of a logger that nobody holds. */
    private static final Logger SERVER_LOG = Logger.getLogger("dev.millrace.server");

    private final ServeFlags flags;
    private final PrintWriter out;

    /** @param flags flags of the command line; the environment and the file of {@code --config} add others */
    ServerRun(ServeFlags flags, PrintWriter out) throws IOException {
        this.flags = flags.orElse(ServeFlags.ofEnvironment(System.getenv()));
        this.out = out;
        Path config = flags.path(ServeFlag.CONFIG);
        if (config != null) {
            flags.orElse(ServeConfigFile.read(config));
        }
    }

    /** Runs without picocli, and returns the exit code of the process. */
    static int alone(ServeFlags flags) {
        var out = new PrintWriter(new PlainWriter(new PrintWriter(System.out)), true);
        Exception failure;
        try {
            return new ServerRun(flags, out).call();
        } catch (Exception e) {
            failure = e;
        } catch (Error e) {
            failure = ErrorLine.exception(e);
        }
        return ErrorLine.print(failure, "millrace serve", new PrintWriter(System.err, true));
    }

    @Override
    public Integer call() throws IOException {
        Path prepared = flags.path(ServeFlag.PREPARE);
        if (flags.folders().isEmpty() && flags.texts(ServeFlag.MODEL).isEmpty()) {
            throw new UsageException("serve needs a FOLDER of models, or a " + ServeFlag.MODEL.flag());
        }
        return prepared == null ? serve() : prepare(prepared);
    }

    private int serve() throws IOException {
        SERVER_LOG.setLevel(Level.INFO);
        try (ServerTelemetry traces = telemetry()) {
            ServerOptions options = options(traces);
            try (ModelServer server = ModelServer.start(options)) {
                Runtime.getRuntime().addShutdownHook(new Thread(server::close, "millrace-end"));
                out.printf(
                        "serving at %s: HTTP %d, gRPC %d, metrics %d; %s%n",
                        options.host(),
                        server.httpPort(),
                        server.grpcPort(),
                        server.metricsPort(),
                        server.isReady() ? "ready" : "some models are not loaded: see v2/repository/index");
                out.flush();
                server.awaitClose();
            }
        } catch (InterruptedException e) {
            return ExitCode.OK;
        }
        return ExitCode.OK;
    }

    private int prepare(Path caches) throws IOException {
        try {
            return preparation(caches).run(out);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.REFUSED;
        }
    }

    /** Returns the preparation of all models in a folder of caches. */
    ServePreparation preparation(Path caches) {
        var arguments = new ArrayList<String>();
        for (Path each : local()) {
            arguments.add(each.toAbsolutePath().toString());
        }
        arguments.addAll(remote());
        flags.texts(ServeFlag.MODEL).forEach(each -> arguments.add(ServeFlag.MODEL.flag() + "=" + each));
        return new ServePreparation(caches, models(), arguments, threads());
    }

    private ServerTelemetry telemetry() {
        return flags.isOn(ServeFlag.TELEMETRY)
                ? ServiceLoader.load(ServerTelemetry.class)
                        .findFirst()
                        .orElseThrow(() -> new UsageException(
                                "--telemetry needs millrace-opentelemetry on the class path, which is not there"))
                : ServerTelemetry.NONE;
    }

    private Path[] local() {
        return flags.folders().stream()
                .filter(each -> !ModelName.isName(each))
                .map(Path::of)
                .toArray(Path[]::new);
    }

    private List<String> remote() {
        return flags.folders().stream().filter(ModelName::isName).toList();
    }

    private int threads() {
        return flags.count(ServeFlag.THREADS, 0, 0);
    }

    /** Returns options with the repositories and the models. */
    private ServerOptions.Builder models() {
        var options = ServerOptions.builder().repositories(local()).remoteRepositories(remote().toArray(new String[0]));
        for (String each : flags.texts(ServeFlag.MODEL)) {
            addModel(each, options);
        }
        return options;
    }

    private ServerOptions options(ServerTelemetry traces) throws IOException {
        String host = flags.text(ServeFlag.HOST);
        var options = models();
        options.host(host == null ? "127.0.0.1" : host)
                .httpPort(flags.count(ServeFlag.HTTP_PORT, 0, 8000))
                .grpcPort(flags.count(ServeFlag.GRPC_PORT, 0, 8001))
                .metricsPort(flags.count(ServeFlag.METRICS_PORT, 0, 8002))
                .control(flags.constant(ServeFlag.CONTROL, ControlMode.NONE))
                .loaded(flags.texts(ServeFlag.LOAD).toArray(new String[0]))
                .pollInterval(Duration.ofSeconds(flags.count(ServeFlag.POLL_SECONDS, 1, 15)))
                .maxBodyBytes(flags.count(ServeFlag.MAX_BODY, 1, Integer.MAX_VALUE))
                .maxRequests(flags.count(ServeFlag.MAX_REQUESTS, 1, 4096))
                .httpCompression(flags.constant(ServeFlag.HTTP_COMPRESSION, Compression.LOW))
                .grpcCompression(flags.constant(ServeFlag.GRPC_COMPRESSION, Compression.NONE))
                .accessLog(flags.isOn(ServeFlag.ACCESS_LOG))
                .dashboard(!flags.isOn(ServeFlag.NO_DASHBOARD))
                .observations(traces.registry())
                .genAiTelemetry(flags.isOn(ServeFlag.GENAI_TELEMETRY))
                .drain(Duration.ofSeconds(flags.count(ServeFlag.DRAIN_SECONDS, 0, 30)))
                .engine(engine());
        addSecurity(options);
        return options.build();
    }

    private EngineOptions engine() {
        Path cache = flags.path(ServeFlag.CONTEXT_CACHE);
        return EngineOptions.builder()
                .threads(threads())
                .memoryBudget(flags.bytes(
                        ServeFlag.MEMORY_BUDGET, EngineOptions.defaults().memoryBudget()))
                .contextCache(cache == null ? null : ContextCache.in(cache))
                .build();
    }

    private static void addModel(String named, ServerOptions.Builder options) {
        int sign = named.indexOf('=');
        if (sign < 1) {
            throw new UsageException(ServeFlag.MODEL.flag() + " is '" + named + "'; it is NAME=SOURCE");
        }
        String source = named.substring(sign + 1);
        boolean isListed = ModelCatalog.find(source) != null;
        options.model(
                named.substring(0, sign),
                isListed ? "file:" + ModelArgument.of(source).file().toAbsolutePath() : source);
    }

    private void addSecurity(ServerOptions.Builder options) throws IOException {
        @Nullable Path tokens = flags.path(ServeFlag.TOKEN_FILE);
        @Nullable Path certificate = flags.path(ServeFlag.TLS_CERTIFICATE);
        @Nullable Path key = flags.path(ServeFlag.TLS_KEY);
        @Nullable Path clients = flags.path(ServeFlag.TLS_CLIENTS);
        if (tokens != null) {
            options.tokens(AccessToken.read(tokens).toArray(new AccessToken[0]));
        }
        if ((certificate == null) != (key == null)) {
            throw new UsageException("--tls-certificate and --tls-key go together");
        }
        if (certificate != null && key != null) {
            options.tls(certificate, key);
        }
        if (clients != null) {
            options.clientCertificates(clients);
        }
    }
}
