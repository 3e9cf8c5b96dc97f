package dev.millrace.session.prepare;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.epcontext.ContextResolver;
import dev.millrace.epcontext.SourceInitializers;
import dev.millrace.epcontext.Weightless;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.FunctionInliner;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.lower.Lowerings;
import dev.millrace.graph.op.SchemaPass;
import dev.millrace.graph.op.StoredConstants;
import dev.millrace.graph.optimise.OptimisationReport;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderLevel;
import dev.millrace.providers.spi.ProviderOptions;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Takes a model the first part of its way: read, checked, optimised, shared out, compiled. Used once. */
public final class Preparation {
    private final Environment environment;
    private final BuildOptions options;
    private final PhaseClock clock;
    private final Notes notes = new Notes();
    private final OpenProviders providers = new OpenProviders();
    /** The factories of the providers, each with the devices that the session uses. */
    private final Map<ProviderFactory, List<HardwareDevice>> factories = new LinkedHashMap<>();

    private final SourceInitializers source;

    public Preparation(Environment environment, BuildOptions options, PhaseClock clock) {
        this.environment = environment;
        this.options = options;
        this.clock = clock;
        this.source = new SourceInitializers(options.weightless());
    }

    /** Has to hear of the model's external data while it is read, for weights to be left there. */
    public DataListener source() {
        return source;
    }

    /**
     * Prepares a model.
     *
     * @param name what to call it in messages
     * @param reader reads it, and refuses what nothing can come of
     * @return what came of it, for the caller to close
     */
    public Prepared prepare(String name, Supplier<Model> reader) {
        return Guard.over(name, providers::close, () -> {
            Model read = reader.get();
            try {
                return prepare(read);
            } catch (RuntimeException e) {
                // what went wrong may have come of what was missing
                MappedFile.check(read.mapped());
                throw e;
            }
        });
    }

    private Prepared prepare(Model read) {
        clock.end("read");
        source.add(read);
        notes.addAll(read.notes());
        String warning = Weightless.warning(read, options.epContext().namesSource());
        if (warning != null) {
            notes.add(warning);
        }
        Model model = FunctionInliner.inline(read);
        StoredConstants.over(model.graph());
        var custom = new AddedOperators(environment, notes);
        notes.addAll(SchemaPass.over(model.graph(), custom));
        notes.addAll(TypeInference.infer(model.graph(), custom));
        if (Lowerings.lower(model.graph())) {
            notes.addAll(TypeInference.infer(model.graph(), custom));
        }
        if (options.strict()) {
            notes.refuse();
        }
        // after the model: providers find out meanwhile what the machine can do
        choose();
        CompatibilityCheck.check(read, factories, options.failOnSuboptimalModel());
        clock.end("check");
        OptimisationReport report = optimise(model);
        options.checkCancelled("preparing the model");
        clock.end("optimise");
        // it looks for the model's EPContext nodes, which partitioning replaces
        var resolver = new ContextResolver(
                environment.workspaces(), options.epContext(), options.externalDataFolder(), options.fileUse(), model);
        try {
            return compile(model, report, resolver);
        } catch (RuntimeException | Error e) {
            List<MappedFile> binaries = resolver.mapped();
            resolver.close();
            MappedFile.check(binaries);
            throw e;
        }
    }

    private Prepared compile(Model model, OptimisationReport report, ContextResolver resolver) {
        Partitioner partitioner = Partitioner.share(model.graph(), providers.all(), model.stem());
        notes.addAll(partitioner.notes());
        checkFallback(partitioner.parts());
        clock.end("partition");
        var contexts = new KeptContexts(options.epContext().enable(), source);
        var compilation = new Compilation(options, partitioner, resolver, providers, contexts, notes);
        var kernels = compilation.compile();
        resolver.forgetModel();
        Partitioning parts = partitioner.parts();
        checkFallback(parts);
        clock.end("compile");
        noteLevels();
        Model marked = Optimised.mark(model, options.optimiser());
        return new Prepared(marked, parts, kernels, contexts, providers, report, clock, notes, resolver);
    }

    /** Notes which providers are slower here than they could be: by now they know. */
    private void noteLevels() {
        for (ExecutionProvider provider : providers.all()) {
            ProviderLevel level = provider.computeLevel();
            if (level != null && level.isLowered()) {
                notes.addUnlogged(level.describe(provider.name()));
                environment.lowered().run();
            }
        }
    }

    /** Optimises, unless the model says that this was done when it was written. */
    private OptimisationReport optimise(Model model) {
        if (Optimised.isMarked(model, options.optimiser())) {
            return Optimised.report(model.graph());
        }
        return new Optimiser(options.optimiser(), new KernelEvaluator(providers.all(), environment.constants()))
                .optimiseInferred(model.graph());
    }

    private void choose() {
        var weightless = new WeightlessCheck(options.weightless(), notes);
        for (ProviderRequest request : environment.requests(options.providers())) {
            Runnable use = environment.factories().use(request.name());
            providers.uses(use);
            ProviderFactory factory = environment.factory(request.name());
            if (factories.containsKey(factory)) {
                throw EngineException.invalidArgument("provider '" + request.name() + "' is named twice");
            }
            open(request, factory, use, weightless);
        }
        weightless.all();
    }

    /**
     * Opens a provider of the session. One that fails is left out with a note where the session did not name it and it is
     * none of the engine's own.
     */
    private void open(ProviderRequest request, ProviderFactory factory, Runnable use, WeightlessCheck weightless) {
        List<ProviderDevice> devices;
        ExecutionProvider provider;
        try {
            devices = environment.devices(request);
            weightless.before(factory, devices);
            var asked = new ProviderOptions(options.threads(), merged(devices, request.options()));
            provider = ProviderGuard.required(request.name(), "provider", () -> factory.create(devices, asked));
        } catch (EngineException e) {
            if (options.providers().isNamed() || ProviderSearch.isOwn(factory) || e.status() != Status.EP_FAIL) {
                throw e;
            }
            notes.add("a provider is left out of the session: " + e.getMessage());
            return;
        }
        factories.put(factory, devices.stream().map(ProviderDevice::hardware).toList());
        providers.add(provider, use);
        weightless.after(provider, devices);
    }

    /** The options that a provider is made with: each is the caller's, else that of the first device that has it. */
    private static Map<String, String> merged(List<ProviderDevice> devices, Map<String, String> asked) {
        var merged = new HashMap<>(asked);
        for (ProviderDevice device : devices) {
            device.options().forEach(merged::putIfAbsent);
        }
        return merged;
    }

    private void checkFallback(Partitioning parts) {
        if (!options.disableCpuFallback()) {
            return;
        }
        if (options.providers().names(Factories.PLAIN)) {
            throw EngineException.invalidArgument(
                    "Conflicting session configuration: disableCpuFallback is set, and provider 'cpu' was added");
        }
        parts.singles().forEach((node, provider) -> {
            if (provider.name().equals(Factories.PLAIN)) {
                throw new EngineException(
                        Status.FAIL, node.describe() + " is left to provider 'cpu', and disableCpuFallback is set");
            }
        });
    }
}
