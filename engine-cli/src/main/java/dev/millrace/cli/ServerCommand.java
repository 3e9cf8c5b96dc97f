package dev.millrace.cli;

import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.models.ModelName;
import dev.millrace.server.AccessToken;
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
import java.util.concurrent.CompletableFuture;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** Serves the models of a folder. */
@Command(
        name = "serve",
        mixinStandardHelpOptions = true,
        defaultValueProvider = ServeEnvironment.class,
        description = "Serves the models of a folder by REST and gRPC, until the process is told to end.")
final class ServerCommand implements Callable<Integer> {
    /** Held, because the log forgets the level of a logger that nobody holds. */
    private static final Logger SERVER_LOG = Logger.getLogger("dev.millrace.server");

    private final CompletableFuture<Void> initialised;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(
            arity = "0..*",
            paramLabel = "FOLDER",
            description = "Folders of models: MODEL/config.pbtxt and MODEL/VERSION/model.onnx, or MODEL.onnx. With"
                    + " millrace-models-s3 on the class path, folders in S3, too: s3://BUCKET/FOLDER/.")
    private List<String> folders = new ArrayList<>();

    @Option(
            names = ServeConfigFile.FLAG,
            paramLabel = "FILE",
            description =
                    "A YAML file with flags, such as http-port: 8000, and folders. Flags of the command line go before"
                            + " those of the environment, and those before the file's.")
    private @Nullable Path config;

    @Option(names = "--host", paramLabel = "ADDRESS", description = "The address to listen at (default: 127.0.0.1).")
    private String host = "127.0.0.1";

    @Option(names = "--http-port", paramLabel = "PORT", description = "The port of HTTP; 0 for any (default: 8000).")
    private int httpPort = 8000;

    @Option(names = "--grpc-port", paramLabel = "PORT", description = "The port of gRPC; 0 for any (default: 8001).")
    private int grpcPort = 8001;

    @Option(
            names = "--metrics-port",
            paramLabel = "PORT",
            description = "The port of metrics; 0 for any (default: 8002).")
    private int metricsPort = 8002;

    @Option(
            names = "--control",
            paramLabel = "MODE",
            description = "How changes of the folders are learnt of: NONE (default), POLL, or EXPLICIT by requests.")
    private ControlMode control = ControlMode.NONE;

    @Option(
            names = "--load",
            paramLabel = "MODEL",
            description = "A model to load at the start, with --control EXPLICIT; may be given several times.")
    private List<String> loaded = new ArrayList<>();

    @Option(names = "--poll-seconds", paramLabel = "N", description = "The time between two looks (default: 15).")
    private int pollSeconds = 15;

    @Option(
            names = ServeConfigFile.MODEL_FLAG,
            paramLabel = "NAME=SOURCE",
            description = "A model that is served as NAME and comes from a source, such as hf:ORG/NAME/onnx/model.onnx;"
                    + " may be given several times.")
    private List<String> models = new ArrayList<>();

    @Option(
            names = "--token-file",
            paramLabel = "FILE",
            description =
                    "The file of the bearer tokens, one of which requests need (default: none is needed). A line is a"
                            + " token, and may limit it to models: TOKEN infer=NAMES admin=NAMES.")
    private @Nullable Path tokenFile;

    @Option(names = "--tls-certificate", paramLabel = "FILE", description = "The certificate chain of TLS, as PEM.")
    private @Nullable Path certificate;

    @Option(names = "--tls-key", paramLabel = "FILE", description = "The private key of TLS, as PEM.")
    private @Nullable Path key;

    @Option(
            names = "--tls-clients",
            paramLabel = "FILE",
            description = "The authorities, as PEM, whose clients are let in (default: all clients are).")
    private @Nullable Path clients;

    @Option(
            names = "--max-body",
            paramLabel = "BYTES",
            description = "The most bytes of a body or message (default: 2147483647).")
    private int maxBody = Integer.MAX_VALUE;

    @Option(
            names = "--max-requests",
            paramLabel = "N",
            description = "The requests that each protocol handles at once (default: 4096).")
    private int maxRequests = 4096;

    @Option(names = "--access-log", description = "Write a line for each request to the log.")
    private boolean accessLog;

    @Option(names = "--no-dashboard", description = "Leave out the page for operators at /ui.")
    private boolean noDashboard;

    @Option(
            names = "--telemetry",
            description =
                    "Send traces by OpenTelemetry's protocol, as the variables OTEL_* say. millrace-opentelemetry has"
                            + " to be on the class path.")
    private boolean telemetry;

    @Option(
            names = "--genai-telemetry",
            description =
                    "Name generations in metrics and traces as OpenTelemetry does (gen_ai.*). The names may change.")
    private boolean genAiTelemetry;

    @Option(
            names = "--drain-seconds",
            paramLabel = "N",
            description = "The time that requests have to end when the server ends (default: 30).")
    private int drainSeconds = 30;

    @Option(names = "--threads", paramLabel = "N", description = "Threads of the engine (default: all processors).")
    private int threads;

    @Option(
            names = "--memory-budget",
            paramLabel = "BYTES",
            description = "The most bytes that models hold (default: no limit).")
    private long memoryBudget = EngineOptions.defaults().memoryBudget();

    @Option(
            names = "--context-cache",
            paramLabel = "FOLDER",
            description = "The context cache, which keeps what is compiled.")
    private @Nullable Path cache;

    @Option(
            names = "--prepare",
            paramLabel = "FOLDER",
            description =
                    "Instead of serving, load all models, answer some requests of each, and leave caches for faster"
                            + " starts in this folder.")
    private @Nullable Path prepared;

    ServerCommand() {
        this(CompletableFuture.completedFuture(null));
    }

    private ServerCommand(CompletableFuture<Void> initialised) {
        this.initialised = initialised;
    }

    /** Returns a command whose classes another thread initialises, while this one reads flags. */
    static ServerCommand initialising() {
        return new ServerCommand(CompletableFuture.runAsync(
                ModelServer::initialise,
                work -> Thread.ofPlatform().daemon().name("millrace-initialise").start(work)));
    }

    @Override
    public Integer call() throws IOException {
        ServerCommand command = config == null ? this : with(config);
        // two threads that initialise classes of one library may wait for each other
        initialised.exceptionally(_ -> null).join();
        return command.serve();
    }

    /** Returns this command with the values of a file where neither the command line nor the environment has one. */
    private ServerCommand with(Path file) throws IOException {
        var read = ServeConfigFile.read(file, spec);
        ParseResult given = spec.commandLine().getParseResult();
        List<String> arguments = read.arguments(flag ->
                given.hasMatchedOption(flag) || System.getenv(ServeEnvironment.name(flag.longestName())) != null);
        for (OptionSpec flag : given.matchedOptions()) {
            if (flag.arity().max() == 0) {
                arguments.add(flag.longestName());
            } else {
                flag.originalStringValues().forEach(value -> arguments.add(flag.longestName() + "=" + value));
            }
        }
        if (models.isEmpty()) {
            read.models().forEach(each -> arguments.add(ServeConfigFile.MODEL_FLAG + "=" + each));
        }
        arguments.add("--");
        arguments.addAll(folders.isEmpty() ? read.folders() : folders);
        var command = new ServerCommand();
        try {
            new CommandLine(command)
                    .setOut(spec.commandLine().getOut())
                    .setCaseInsensitiveEnumValuesAllowed(true)
                    .setExpandAtFiles(false)
                    .parseArgs(arguments.toArray(new String[0]));
        } catch (ParameterException e) {
            throw new UsageException(file + ": " + e.getMessage());
        }
        return command;
    }

    private Integer serve() throws IOException {
        if (folders.isEmpty() && models.isEmpty()) {
            throw new UsageException("serve needs a FOLDER of models, or a " + ServeConfigFile.MODEL_FLAG);
        }
        UsageException.requireAtLeast(1, "--poll-seconds", pollSeconds);
        UsageException.requireAtLeast(0, "--drain-seconds", drainSeconds);
        UsageException.requireAtLeast(0, "--threads", threads);
        PrintWriter out = spec.commandLine().getOut();
        if (prepared != null) {
            return prepare(prepared, out);
        }
        SERVER_LOG.setLevel(Level.INFO);
        try (ServerTelemetry traces = telemetry();
                ModelServer server = ModelServer.start(options(traces))) {
            Thread ending = new Thread(server::close, "millrace-end");
            Runtime.getRuntime().addShutdownHook(ending);
            out.printf(
                    "serving at %s: HTTP %d, gRPC %d, metrics %d; %s%n",
                    host,
                    server.httpPort(),
                    server.grpcPort(),
                    server.metricsPort(),
                    server.isReady() ? "ready" : "some models are not loaded: see v2/repository/index");
            out.flush();
            server.awaitClose();
        } catch (InterruptedException e) {
            return ExitCode.OK;
        }
        return ExitCode.OK;
    }

    private Integer prepare(Path caches, PrintWriter out) throws IOException {
        try {
            if (!remote().isEmpty()) {
                throw new UsageException("--prepare takes folders of this machine, not " + remote());
            }
            return new ServePreparation(caches, List.of(local()), threads).run(out);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.REFUSED;
        }
    }

    private ServerTelemetry telemetry() {
        return telemetry
                ? ServiceLoader.load(ServerTelemetry.class)
                        .findFirst()
                        .orElseThrow(() -> new UsageException(
                                "--telemetry needs millrace-opentelemetry on the class path, which is not there"))
                : ServerTelemetry.NONE;
    }

    private Path[] local() {
        return folders.stream()
                .filter(each -> !ModelName.isName(each))
                .map(Path::of)
                .toArray(Path[]::new);
    }

    private List<String> remote() {
        return folders.stream().filter(ModelName::isName).toList();
    }

    private ServerOptions options(ServerTelemetry traces) throws IOException {
        var options = ServerOptions.builder()
                .repositories(local())
                .remoteRepositories(remote().toArray(new String[0]))
                .host(host)
                .httpPort(httpPort)
                .grpcPort(grpcPort)
                .metricsPort(metricsPort)
                .control(control)
                .loaded(loaded.toArray(new String[0]))
                .pollInterval(Duration.ofSeconds(pollSeconds))
                .maxBodyBytes(maxBody)
                .maxRequests(maxRequests)
                .accessLog(accessLog)
                .dashboard(!noDashboard)
                .observations(traces.registry())
                .genAiTelemetry(genAiTelemetry)
                .drain(Duration.ofSeconds(drainSeconds))
                .engine(EngineOptions.builder()
                        .threads(threads)
                        .memoryBudget(memoryBudget)
                        .contextCache(cache == null ? null : ContextCache.in(cache))
                        .build());
        for (String each : models) {
            int sign = each.indexOf('=');
            if (sign < 1) {
                throw new UsageException(ServeConfigFile.MODEL_FLAG + " is '" + each + "'; it is NAME=SOURCE");
            }
            String source = each.substring(sign + 1);
            boolean isListed = ModelCatalog.find(source) != null;
            options.model(
                    each.substring(0, sign),
                    isListed ? "file:" + ModelArgument.of(source).file().toAbsolutePath() : source);
        }
        if (tokenFile != null) {
            options.tokens(AccessToken.read(tokenFile).toArray(new AccessToken[0]));
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
        return options.build();
    }
}
