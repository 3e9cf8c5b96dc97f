package dev.millrace.session;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.epcontext.ContextCache;
import dev.millrace.epcontext.Workspaces;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.scheduler.event.FlightRecording;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.pool.WorkerPool;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.session.build.Environment;
import dev.millrace.session.build.SharedConstants;
import dev.millrace.session.stream.RunThreads;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/**
 * Makes sessions and owns what they share: the worker threads, the providers and what those have loaded. One per process
 * is the rule. Thread-safe. Sessions outlive a closed engine for as long as they are open; new ones are refused, and so
 * are new runs of {@code mono} and {@code flux}. Closing waits for nothing and may happen anywhere, a callback included.
 */
public final class Engine implements AutoCloseable {
    /** Providers that are faster where they can do something come first; the plain one, which can do all, last. */
    private static final String PLAIN = "cpu";

    private final WorkerPool pool;
    private final @Nullable ContextCache contextCache;
    private final @Nullable RequestListener requestListener;
    private final Environment environment;
    private final FactoryUse factoryUse;
    private final RunThreads runs;
    private final IdleMemory idleMemory = new IdleMemory();
    private final Executor later = CompletableFuture.delayedExecutor(10, TimeUnit.SECONDS);
    private final AtomicBoolean closed = new AtomicBoolean();

    private Engine(EngineOptions options, Iterable<ProviderFactory> providers) {
        int threads = options.effectiveThreads();
        contextCache = options.contextCache();
        requestListener = options.requestListener();
        var factories = new LinkedHashMap<String, ProviderFactory>();
        var found = new ArrayList<ProviderFactory>();
        providers.forEach(found::add);
        found.addAll(options.providers());
        found.sort(Engine::inOrder);
        for (ProviderFactory factory : found) {
            if (factories.put(factory.name(), factory) != null) {
                throw EngineException.invalidArgument(
                        "two providers are called '" + factory.name() + "'; leave one of them out");
            }
        }
        factoryUse = new FactoryUse(factories.values());
        pool = new WorkerPool(threads - 1);
        runs = new RunThreads(threads);
        environment = new Environment(factories, options.hardware(), new Workspaces(), new SharedConstants(), threads);
    }

    private static int inOrder(ProviderFactory one, ProviderFactory other) {
        int plainLast = Boolean.compare(one.name().equals(PLAIN), other.name().equals(PLAIN));
        return plainLast != 0 ? plainLast : other.name().compareTo(one.name());
    }

    public static Engine create() {
        return create(EngineOptions.defaults());
    }

    public static Engine create(EngineOptions options) {
        return create(options, ServiceLoader.load(ProviderFactory.class, Engine.class.getClassLoader()));
    }

    /** An engine with these providers and those of its options, rather than with any that are found. */
    static Engine create(EngineOptions options, Iterable<ProviderFactory> providers) {
        try {
            return new Engine(Failures.given(options, "options"), providers);
        } catch (RuntimeException | Error e) {
            throw Failures.named("engine", e);
        }
    }

    /** A session of a model file with all defaults: every provider, all optimisations. */
    public Session session(Path model) {
        return session(model, SessionOptions.defaults());
    }

    public Session session(Path model, SessionOptions options) {
        Failures.given(model, "model");
        ContextCache cache = Failures.given(options, "options").contextCache();
        ContextCache used = cache == null ? contextCache : cache;
        return used != null && CachedSession.suits(options)
                ? guarded(() -> new CachedSession(this, options, used).open(model))
                : make(options, builder -> builder.fromFile(model));
    }

    /** A session of the one component of a package, in the variant that suits this machine best. */
    public Session session(ModelPackage pack, SessionOptions options) {
        List<String> components = Failures.given(pack, "pack").components();
        if (components.size() != 1) {
            throw EngineException.invalidArgument(pack + " has several components; say which");
        }
        return session(pack, components.getFirst(), options);
    }

    /** A session of a component of a package, in the variant that suits this machine best. */
    public Session session(ModelPackage pack, String component, SessionOptions options) {
        Failures.given(pack, "pack");
        Failures.given(options, "options");
        return guarded(() -> {
            VariantChoice choice = VariantChoice.of(pack, component, options, environment);
            return session(choice.variant().model(), choice.options(options, environment));
        });
    }

    /** A session of a model in memory, which stays as it is while the session is open. */
    public Session session(MemorySegment model, SessionOptions options) {
        Failures.given(model, "model");
        return make(options, builder -> builder.fromMemory(model));
    }

    /** A session of a model in an array, which is copied. */
    public Session session(byte[] model, SessionOptions options) {
        return session(copyOf(Failures.given(model, "model")), options);
    }

    /** A compiler of models for the providers of this engine. */
    public ModelCompiler compiler(CompileOptions options) {
        return new ModelCompiler(this, Failures.given(options, "options"));
    }

    /**
     * What those who compiled a model say of it, without a session: how well it suits this machine. Empty for a model that
     * nobody compiled.
     */
    public List<ModelCompatibility> compatibility(Path model) {
        Failures.given(model, "model");
        return compatibility(() -> Models.read(model, FileUse.BY_SIZE));
    }

    /** The same of a model in memory. */
    public List<ModelCompatibility> compatibility(byte[] model) {
        Failures.given(model, "model");
        return compatibility(() -> Models.read(model, null));
    }

    private List<ModelCompatibility> compatibility(Supplier<Model> reader) {
        checkOpen();
        try {
            return CompatibilityQuestion.ask(reader.get(), environment);
        } catch (RuntimeException | Error e) {
            throw Failures.named("asking about a model", e);
        }
    }

    /**
     * What a provider says of what it once said of itself when it compiled a model, without the model.
     *
     * @param devices that the model is to run on
     * @param info the text that the model carries
     */
    public Compatibility compatibility(String provider, List<HardwareDevice> devices, String info) {
        Failures.given(devices, "devices");
        Failures.given(info, "info");
        return CompatibilityCheck.validate(environment.factory(Failures.given(provider, "provider")), devices, info);
    }

    /** Why a provider cannot drive a device; empty where it can. */
    public List<String> incompatibilities(String provider, HardwareDevice device) {
        Failures.given(device, "device");
        return environment.factory(Failures.given(provider, "provider")).incompatibilities(device);
    }

    private Session make(SessionOptions options, Function<SessionBuilder, Session> way) {
        return guarded(() -> way.apply(new SessionBuilder(this, Failures.given(options, "options"))));
    }

    private static Session guarded(Supplier<Session> way) {
        try {
            return way.get();
        } catch (RuntimeException | Error e) {
            throw Failures.named("making a session", e);
        }
    }

    private static MemorySegment copyOf(byte[] model) {
        try {
            MemorySegment copy =
                    OwnMemory.allocate(Math.max(1, model.length), 64).asSlice(0, model.length);
            return copy.copyFrom(MemorySegment.ofArray(model));
        } catch (OutOfMemoryError e) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for a copy of the model's " + model.length
                            + " bytes; raise -XX:MaxDirectMemorySize, or make the session from its file",
                    e);
        }
    }

    /** The providers that were found, in the order in which they are asked by default. */
    public List<String> providers() {
        return environment.providers();
    }

    /** How many threads can work on one run. */
    public int threads() {
        return environment.threads();
    }

    /**
     * The threads on which {@code mono} and {@code flux} run, for what is to happen between runs, such as preparing inputs. What is
     * scheduled shares them as a session of weight 1 does. It takes no delays, and nothing on it may block.
     */
    public Scheduler scheduler() {
        return Schedulers.fromExecutor(runs);
    }

    /** What all its models are built with. */
    Environment environment() {
        return environment;
    }

    FactoryUse factoryUse() {
        return factoryUse;
    }

    WorkerPool pool() {
        return pool;
    }

    RunThreads runs() {
        return runs;
    }

    IdleMemory idleMemory() {
        return idleMemory;
    }

    /** Runs a task after a while, on a thread that is nobody's. */
    Executor later() {
        return later;
    }

    @Nullable
    RequestListener requestListener() {
        return requestListener;
    }

    /** What hears of runs while a flight recording is on, null while none is. */
    @Nullable
    RunListener flightRecorder() {
        return FlightRecording.listenerIfOn();
    }

    void checkOpen() {
        if (closed.get()) {
            throw closedException();
        }
    }

    static EngineException closedException() {
        return new EngineException(Status.CLOSED, "this engine is closed");
    }

    @Override
    public void close() {
        if (!closed.getAndSet(true)) {
            pool.close();
            runs.close();
            factoryUse.end();
        }
    }
}
