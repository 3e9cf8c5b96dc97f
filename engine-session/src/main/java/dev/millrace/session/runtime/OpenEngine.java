package dev.millrace.session.runtime;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.scheduler.run.IdleMemory;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.DeviceMemoryUse;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Health;
import dev.millrace.session.MemoryUse;
import dev.millrace.session.ModelCompatibility;
import dev.millrace.session.ModelCompiler;
import dev.millrace.session.ModelPackage;
import dev.millrace.session.PlatformReport;
import dev.millrace.session.ProviderChoice;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.modelpackage.OpenModelPackage;
import dev.millrace.session.modelpackage.VariantChoice;
import dev.millrace.session.prepare.Environment;
import dev.millrace.session.prepare.Factories;
import dev.millrace.session.util.Failures;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** The implementation of {@link Engine}. */
public final class OpenEngine implements Engine {
    private static final long NOTICE_MILLIS = 5000;

    private final @Nullable ContextCache contextCache;
    private final EngineResources resources;
    private final Environment environment;
    private final OpenModels models;

    private OpenEngine(EngineOptions options, Factories factories) {
        contextCache = options.contextCache();
        resources = new EngineResources(options, factories);
        environment = resources.environment();
        models = new OpenModels(resources);
    }

    /** Logs how providers compute on this machine, after a delay for the first session's sake. */
    private void tellSoon() {
        DelayedTasks.after(NOTICE_MILLIS, TimeUnit.MILLISECONDS).execute(() -> {
            if (!resources.isClosed()) {
                resources.notice().tell();
            }
        });
    }

    static OpenEngine create(EngineOptions options) {
        StartupPrefetch.begin();
        ClassLoader loader = OpenEngine.class.getClassLoader();
        return opened(
                options,
                () -> options.providers().isEmpty()
                        ? Factories.search(loader)
                        : Factories.search(loader, options.providers()));
    }

    /** Creates an engine with these providers and those of its options, rather than with any that are found. */
    public static OpenEngine create(EngineOptions options, Iterable<ProviderFactory> providers) {
        return opened(options, () -> factories(providers, options));
    }

    private static Factories factories(Iterable<ProviderFactory> providers, EngineOptions options) {
        var all = new ArrayList<ProviderFactory>();
        providers.forEach(all::add);
        all.addAll(options.providers());
        return Factories.of(all);
    }

    private static OpenEngine opened(EngineOptions options, Supplier<Factories> factories) {
        try {
            Failures.requireArgument(options, "options");
            var engine = new OpenEngine(options, factories.get());
            engine.tellSoon();
            return engine;
        } catch (RuntimeException | Error e) {
            throw Failures.named("engine", e);
        }
    }

    @Override
    public Session session(Path model) {
        return session(model, SessionOptions.defaults());
    }

    @Override
    public Session session(Path model, SessionOptions options) {
        Failures.requireArgument(model, "model");
        ContextCache cache = Failures.requireArgument(options, "options").contextCache();
        ContextCache used = cache == null ? contextCache : cache;
        return used != null && CachedSession.suits(options)
                ? guarded(() -> new CachedSession(resources, options, used).open(model))
                : guarded(() ->
                        models.session(model, options, () -> new SessionBuilder(resources, options).fromFile(model)));
    }

    @Override
    public Session session(ModelPackage pack, SessionOptions options) {
        List<String> components = Failures.requireArgument(pack, "pack").components();
        if (components.size() != 1) {
            throw EngineException.invalidArgument(pack + " has several components; say which");
        }
        return session(pack, components.getFirst(), options);
    }

    @Override
    public Session session(ModelPackage pack, String component, SessionOptions options) {
        OpenModelPackage opened = OpenModelPackage.of(pack);
        Failures.requireArgument(options, "options");
        return guarded(() -> {
            List<ProviderChoice> choices = choices(options);
            VariantChoice choice = VariantChoice.of(opened, component, choices, environment);
            return session(choice.variant().model(), choice.options(options, choices));
        });
    }

    @Override
    public Path modelFile(ModelPackage pack, String component, SessionOptions options) {
        OpenModelPackage opened = OpenModelPackage.of(pack);
        Failures.requireArgument(options, "options");
        return guarded(() -> VariantChoice.of(opened, component, choices(options), environment)
                .variant()
                .model());
    }

    private List<ProviderChoice> choices(SessionOptions options) {
        return environment.requests(BuildSettings.selection(options)).stream()
                .map(request -> new ProviderChoice(request.name(), request.options(), request.devices()))
                .toList();
    }

    @Override
    public Session session(MemorySegment model, SessionOptions options) {
        Failures.requireArgument(model, "model");
        return make(options, builder -> builder.fromMemory(model));
    }

    @Override
    public Session session(byte[] model, SessionOptions options) {
        return session(copyOf(Failures.requireArgument(model, "model")), options);
    }

    @Override
    public void replace(ReplaceableSession service, Path model, SessionOptions options) {
        String name = Failures.requireArgument(service, "session").current().name();
        boolean isNamed = Failures.requireArgument(options, "options").name() != null;
        service.replace(session(
                model, isNamed ? options : options.toBuilder().name(name).build()));
    }

    @Override
    public ModelCompiler compiler(CompileOptions options) {
        return new OpenModelCompiler(resources, Failures.requireArgument(options, "options"));
    }

    @Override
    public List<ModelCompatibility> compatibility(Path model) {
        Failures.requireArgument(model, "model");
        return compatibility(() -> Models.read(model, FileUse.BY_SIZE));
    }

    @Override
    public List<ModelCompatibility> compatibility(byte[] model) {
        Failures.requireArgument(model, "model");
        return compatibility(() -> Models.read(model, null));
    }

    private List<ModelCompatibility> compatibility(Supplier<Model> reader) {
        resources.checkOpen();
        try {
            return CompatibilityQuestion.ask(reader.get(), environment);
        } catch (RuntimeException | Error e) {
            throw Failures.named("asking about a model", e);
        }
    }

    @Override
    public Compatibility compatibility(String provider, List<HardwareDevice> devices, String info) {
        Failures.requireArgument(devices, "devices");
        Failures.requireArgument(info, "info");
        return CompatibilityCheck.validate(
                environment.factory(Failures.requireArgument(provider, "provider")), devices, info);
    }

    @Override
    public List<String> incompatibilities(String provider, HardwareDevice device) {
        Failures.requireArgument(device, "device");
        return environment
                .factory(Failures.requireArgument(provider, "provider"))
                .incompatibilities(device);
    }

    private Session make(SessionOptions options, Function<SessionBuilder, Session> way) {
        return guarded(() -> way.apply(new SessionBuilder(resources, Failures.requireArgument(options, "options"))));
    }

    private static <T> T guarded(Supplier<T> way) {
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

    @Override
    public List<String> providers() {
        return environment.providers();
    }

    @Override
    public List<String> registerProviderLibrary(String name, Path library) {
        Failures.requireArgument(name, "name");
        Failures.requireArgument(library, "library");
        resources.checkOpen();
        return environment.factories().register(name, library);
    }

    @Override
    public void unregisterProviderLibrary(String name) {
        environment.factories().unregister(Failures.requireArgument(name, "name"), resources.devices()::forget);
    }

    @Override
    public List<ProviderDevice> devices() {
        return environment.devices();
    }

    @Override
    public List<DeviceMemoryUse> deviceMemory() {
        var uses = new ArrayList<DeviceMemoryUse>();
        resources
                .devices()
                .memory()
                .statistics()
                .forEach((place, statistics) ->
                        uses.add(new DeviceMemoryUse(place.device().info(), place.kind(), statistics)));
        return uses;
    }

    @Override
    public PlatformReport platform() {
        return resources.notice().report();
    }

    @Override
    public Health health() {
        if (resources.isClosed()) {
            return Health.of(List.of(trouble(Health.Condition.DOWN, EngineResources.closedException())));
        }
        var troubles = new ArrayList<>(resources.sessions().troubles());
        EngineException refused = resources.idleMemory().lastRefusal();
        if (refused != null) {
            troubles.add(trouble(Health.Condition.DEGRADED, refused));
        }
        return Health.of(troubles);
    }

    private static Health.Trouble trouble(Health.Condition condition, EngineException what) {
        return new Health.Trouble(condition, what.status(), "engine", String.valueOf(what.getMessage()));
    }

    @Override
    public MemoryUse memory() {
        IdleMemory memory = resources.idleMemory();
        return new MemoryUse(memory.held(), memory.idle(), memory.limit());
    }

    @Override
    public int threads() {
        return environment.threads();
    }

    @Override
    public Scheduler scheduler() {
        return Schedulers.fromExecutor(resources.runs());
    }

    @Override
    public String toString() {
        return "Engine of " + threads() + (threads() == 1 ? " thread (" : " threads (")
                + (resources.isClosed() ? "closed" : "open") + ", "
                + resources.sessions().count() + " open sessions)";
    }

    @Override
    public void close() {
        resources.close();
    }
}
