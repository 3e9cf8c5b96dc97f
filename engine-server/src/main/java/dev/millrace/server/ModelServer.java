package dev.millrace.server;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.access.Permissions;
import dev.millrace.server.access.Tokens;
import dev.millrace.server.dashboard.DashboardRoutes;
import dev.millrace.server.endpoint.AccessRules;
import dev.millrace.server.endpoint.AnswerCompression;
import dev.millrace.server.endpoint.SharedParts;
import dev.millrace.server.metrics.ServerMetrics;
import dev.millrace.server.model.CounterBook;
import dev.millrace.server.model.RunObservations;
import dev.millrace.server.openai.OpenAiRoutes;
import dev.millrace.server.repository.ModelLoader;
import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.repository.RepositoryContents;
import dev.millrace.server.repository.RepositoryControl;
import dev.millrace.server.rest.GenerateRoutes;
import dev.millrace.server.rest.HttpObservations;
import dev.millrace.server.rest.HttpRouter;
import dev.millrace.server.rest.InferRoutes;
import dev.millrace.server.rest.ProtocolRoutes;
import dev.millrace.server.rest.RepositoryRoutes;
import dev.millrace.server.setting.ServerSettings;
import dev.millrace.server.timeline.RecentRequests;
import dev.millrace.session.Engine;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Schedulers;

/**
 * A server of models: the Open Inference Protocol, version 2, by REST and gRPC, and OpenAI's endpoints. Closing refuses new
 * requests, finishes those that are under way, and releases the models.
 */
public final class ModelServer implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(ModelServer.class.getName());

    private final ServerOptions options;
    private final Engine engine;
    private final ModelRepository repository;
    private final ServerPorts ports;
    private final CountDownLatch closing = new CountDownLatch(1);
    private final CompletableFuture<Void> loading;
    private @Nullable Thread poller;
    private volatile boolean loaded;

    private ModelServer(ServerOptions options) {
        this.options = options;
        var contents = RepositoryContents.of(options.repositories(), options.remoteRepositories(), options.models());
        var metrics = new ServerMetrics(options.engine().requestListener());
        var counters = new CounterBook(metrics);
        var runs = new RunObservations(options.observations(), counters);
        engine =
                Engine.create(options.engine().toBuilder().requestListener(runs).build());
        repository = new ModelRepository(contents, new ModelLoader(engine), counters);
        loading = CompletableFuture.runAsync(
                this::loadModels,
                work -> Thread.ofPlatform().name("millrace-load").start(work));
        try {
            SharedParts shared = shared(runs);
            var unobserved = new RunObservations(ObservationRegistry.NOOP, counters);
            ports = new ServerPorts(
                    options, routes(shared, metrics), metricsRoutes(shared, metrics, unobserved), shared);
        } catch (RuntimeException e) {
            loading.exceptionally(_ -> null).join();
            repository.close();
            engine.close();
            throw e;
        }
    }

    private SharedParts shared(RunObservations runs) {
        return new SharedParts(
                repository,
                new RepositoryControl(
                        repository, options.control() == ControlMode.EXPLICIT, Schedulers.boundedElastic()),
                new ServerSettings(options.accessLog()),
                new AccessRules(tokens(options), options.maxRequests(), options.maxBodyBytes()),
                new AnswerCompression(
                        options.httpCompression().level(),
                        options.grpcCompression().level()),
                this::isReady,
                runs,
                new RecentRequests());
    }

    /** Returns the routes of the port of HTTP, whose requests the metrics count. */
    private HttpRouter routes(SharedParts shared, ServerMetrics metrics) {
        var observations = new HttpObservations(shared.runs(), options.genAiTelemetry() ? metrics.generations() : null);
        var router = new HttpRouter(shared, observations);
        new ProtocolRoutes(shared).addTo(router);
        new InferRoutes(repository).addTo(router);
        new RepositoryRoutes(repository, shared.control()).addTo(router);
        new GenerateRoutes(repository).addTo(router);
        new OpenAiRoutes(repository).addTo(router);
        if (options.dashboard()) {
            new DashboardRoutes(engine, shared, router::active).addTo(router);
        }
        metrics.watch(engine, repository, router);
        metrics.addTo(router);
        return router;
    }

    private static HttpRouter metricsRoutes(SharedParts shared, ServerMetrics metrics, RunObservations unobserved) {
        var router = new HttpRouter(shared, new HttpObservations(unobserved, null));
        metrics.addTo(router);
        return router;
    }

    private static Tokens tokens(ServerOptions options) {
        return new Tokens(options.tokens().stream()
                .collect(Collectors.toMap(
                        AccessToken::secret,
                        each -> each.all() ? Permissions.ALL : Permissions.of(each.infer(), each.admin()))));
    }

    /**
     * Starts a server: opens its ports while it loads its models. A model that cannot be loaded is named in the index and the
     * log. Returns once all others answer.
     */
    public static ModelServer start(ServerOptions options) {
        var server = new ModelServer(options);
        try {
            server.awaitModels();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    /**
     * Fills caches for later starts: answers some requests of each model at free ports of loopback, and ends. The engine's
     * context cache is filled, and so are the caches that the options of this JVM name: that of kernels' code, and the
     * ahead-of-time cache of classes.
     *
     * @param models options whose repositories, models and engine are those of the later starts; the others have no effect
     * @return a sentence about each model that is not loaded, or whose request failed
     */
    public static List<String> prepare(ServerOptions models) {
        var options = ServerOptions.builder()
                .repositories(models.repositories().toArray(new Path[0]))
                .remoteRepositories(models.remoteRepositories().toArray(new String[0]))
                .httpPort(0)
                .grpcPort(0)
                .metricsPort(0)
                .engine(models.engine());
        models.models().forEach(options::model);
        try (ModelServer server = start(options.build())) {
            var failures = new ArrayList<String>();
            server.repository.index(false).stream()
                    .filter(row -> !row.reason().isEmpty())
                    .forEach(row -> failures.add("model '" + row.name() + "' is not loaded: " + row.reason()));
            failures.addAll(new FirstRequests(server.httpPort(), server.grpcPort()).send(server.repository.loaded()));
            return failures;
        }
    }

    private void loadModels() {
        if (options.control() == ControlMode.EXPLICIT) {
            options.loaded().stream()
                    .map(name -> repository.load(name, null, Map.of()))
                    .toList()
                    .forEach(ModelServer::await);
        } else {
            await(repository.refresh());
        }
    }

    private void awaitModels() {
        try {
            loading.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : e;
        }
        loaded = true;
        ports.setServing(true);
        if (options.control() == ControlMode.POLL) {
            poller = Thread.ofPlatform().daemon().name("millrace-poll").start(this::poll);
        }
    }

    private static void await(CompletableFuture<Void> load) {
        try {
            load.get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof EngineException known
                    ? known
                    : new EngineException(Status.FAIL, "a model cannot be loaded: " + e.getCause(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException(Status.CANCELLED, "the thread that starts the server was interrupted", e);
        }
    }

    private void poll() {
        try {
            while (!closing.await(options.pollInterval().toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    repository.refresh().exceptionally(ModelServer::unread);
                } catch (EngineException e) {
                    unread(e);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static @Nullable Void unread(Throwable failure) {
        Throwable cause = failure instanceof CompletionException wrapped ? wrapped.getCause() : failure;
        LOG.log(
                System.Logger.Level.WARNING,
                "a repository cannot be read: {0}",
                (cause == null ? failure : cause).getMessage());
        return null;
    }

    /** The port of HTTP. */
    public int httpPort() {
        return ports.http();
    }

    /** The port of gRPC. */
    public int grpcPort() {
        return ports.grpc();
    }

    /** The port of metrics. */
    public int metricsPort() {
        return ports.metrics();
    }

    /** Whether the models are loaded and answer. */
    public boolean isReady() {
        return loaded && closing.getCount() > 0 && repository.isReady();
    }

    /** Waits until the server is closed. */
    public void awaitClose() throws InterruptedException {
        closing.await();
    }

    @Override
    public void close() {
        if (closing.getCount() == 0) {
            return;
        }
        closing.countDown();
        try {
            ports.drain(options.drain());
            if (poller != null) {
                poller.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            ports.close();
            repository.close();
            engine.close();
        }
    }
}
