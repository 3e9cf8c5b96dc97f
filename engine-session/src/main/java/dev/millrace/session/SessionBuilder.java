package dev.millrace.session;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.epcontext.ContextModelWriter;
import dev.millrace.epcontext.ContextResolver;
import dev.millrace.epcontext.FileState;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.composite.Composites;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.Inference;
import dev.millrace.graph.ir.FunctionInliner;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.OptimisationReport;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.schema.SchemaPass;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.HardwareDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.run.PlanRunner;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes a model all its way: read, checked, optimised, shared out, compiled, planned. Used once. */
final class SessionBuilder {
    private final Engine engine;
    private final SessionOptions options;
    private final PhaseClock clock = new PhaseClock(System::nanoTime);
    private final Notes notes = new Notes();
    private final List<ExecutionProvider> providers = new ArrayList<>();
    private final List<ProviderFactory> factories = new ArrayList<>();
    private final List<FileState> data = new ArrayList<>();

    SessionBuilder(Engine engine, SessionOptions options) {
        this.engine = engine;
        this.options = options;
    }

    Session fromFile(Path file) {
        if (!Files.isRegularFile(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, "there is no model file " + file.toAbsolutePath());
        }
        return guarded(file.toString(), () -> build(Models.read(file, options.fileUse(), this::addData)));
    }

    /** The session of what a cache keeps of {@code source}. */
    Session fromCache(Path kept, Path source) {
        return guarded(source.toString(), () -> build(Models.read(kept, options.fileUse())));
    }

    private void addData(Path file) {
        try {
            data.add(FileState.of(file));
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "external data file " + file + " cannot be read: " + e, e);
        }
    }

    /** The files of external data that were read, as they were before. */
    List<FileState> data() {
        return List.copyOf(data);
    }

    Session fromMemory(MemorySegment bytes) {
        return guarded(
                "model from memory", () -> build(Models.read(bytes, options.externalDataFolder(), options.fileUse())));
    }

    /** A step of the way that hands a session on. */
    private interface Way {
        Session go();
    }

    /** Lets nothing but an {@link EngineException} out, and no provider open behind it. */
    private Session guarded(String model, Way way) {
        engine.checkOpen();
        try {
            return way.go();
        } catch (EngineException e) {
            closeProviders();
            throw e.at(model);
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError | InternalError e) {
            closeProviders();
            throw EngineException.wrap(Status.FAIL, model, e);
        }
    }

    private void closeProviders() {
        providers.forEach(ExecutionProvider::close);
    }

    private Session build(Model read) {
        Graph graph = read.graph();
        List<ValueInfo> inputs = inputs(graph);
        clock.end("read");
        notes.addAll(read.notes());
        Model model = FunctionInliner.inline(read);
        notes.addAll(SchemaPass.over(model.graph()));
        notes.addAll(Inference.infer(model.graph()));
        if (Composites.expand(model.graph())) {
            notes.addAll(Inference.infer(model.graph()));
        }
        if (options.strict()) {
            notes.refuse();
        }
        // after the model: providers find out meanwhile what the machine can do
        choose();
        CompatibilityCheck.check(read, factories, options.failOnSuboptimalModel());
        ContextModelWriter.check(options.epContext(), read);
        clock.end("check");
        OptimisationReport report = optimise(model);
        checkCancelled();
        clock.end("optimise");
        // it looks for the model's EPContext nodes, which partitioning replaces
        var resolver = new ContextResolver(engine.workspaces(), options.epContext(), options.fileUse(), model);
        try {
            Partitioner partitioner = Partitioner.share(model.graph(), providers, model.stem());
            checkFallback(partitioner.parts());
            clock.end("partition");
            var compilation = new Compilation(options, partitioner, resolver, providers, notes);
            Map<Node, Kernel> kernels = compilation.compile();
            resolver.forgetModel();
            Partitioning parts = partitioner.parts();
            checkFallback(parts);
            clock.end("compile");
            List<SessionReport.PartitionInfo> table = PartitionTable.of(parts);
            @Nullable Path written = compilation.writeContext(Optimised.mark(model, options.optimiser()));
            clock.end("write context");
            Plan plan = PlanBuilder.build(model.graph(), node -> assign(parts, kernels, node));
            var runner = new PlanRunner(plan, engine.pool(), threads(), options.maxBindings(), engine.idleMemory());
            clock.end("plan");
            providers.forEach(ExecutionProvider::onSessionReady);
            return new Session(
                    engine,
                    options,
                    runner,
                    inputs,
                    outputs(model.graph()),
                    providers,
                    new SessionReport(table, report, clock.phases(), written, SessionReport.CacheUse.NONE, notes.all()),
                    resolver::close);
        } catch (RuntimeException | Error e) {
            resolver.close();
            throw e;
        }
    }

    /** Optimises, unless the model says that this was done when it was written. */
    private OptimisationReport optimise(Model model) {
        if (Optimised.isMarked(model, options.optimiser())) {
            return Optimised.report(model.graph());
        }
        return new Optimiser(options.optimiser(), new KernelEvaluator(providers, engine.sharedConstants()))
                .optimiseInferred(model.graph());
    }

    private int threads() {
        return options.threads() == 0 ? engine.threads() : options.threads();
    }

    private void checkCancelled() {
        if (options.cancellation().isCancelled()) {
            throw new EngineException(Status.MODEL_LOAD_CANCELED, "creating the session was cancelled");
        }
    }

    private void choose() {
        List<ProviderChoice> choices = options.providers().isEmpty()
                ? engine.providers().stream().map(ProviderChoice::of).toList()
                : options.providers();
        for (ProviderChoice choice : choices) {
            ProviderFactory factory = engine.factory(choice.name());
            if (factories.contains(factory)) {
                throw EngineException.invalidArgument("provider '" + choice.name() + "' is named twice");
            }
            factories.add(factory);
            providers.add(factory.create(
                    factory.devices(List.of(HardwareDevice.hostCpu())),
                    new ProviderOptions(threads(), choice.options())));
        }
    }

    private void checkFallback(Partitioning parts) {
        if (!options.disableCpuFallback()) {
            return;
        }
        if (options.providers().stream().anyMatch(choice -> choice.name().equals("cpu"))) {
            throw EngineException.invalidArgument(
                    "Conflicting session configuration: disableCpuFallback is set, and provider 'cpu' was added");
        }
        parts.singles().forEach((node, provider) -> {
            if (provider.name().equals("cpu")) {
                throw new EngineException(
                        Status.FAIL, node.describe() + " is left to provider 'cpu', and disableCpuFallback is set");
            }
        });
    }

    private static PlanBuilder.Assignment assign(Partitioning parts, Map<Node, Kernel> kernels, Node node) {
        Kernel kernel = kernels.get(node);
        ExecutionProvider provider = parts.singles().get(node);
        if (kernel == null || provider == null) {
            throw new IllegalStateException(node.describe() + " has no kernel");
        }
        return new PlanBuilder.Assignment(kernel, provider.name(), provider.device());
    }

    private static List<ValueInfo> inputs(Graph graph) {
        return graph.inputs().stream()
                .map(input -> new ValueInfo(input.name(), input.type(), graph.defaultOf(input) != null))
                .toList();
    }

    private static List<ValueInfo> outputs(Graph graph) {
        var infos = new ArrayList<ValueInfo>();
        for (int i = 0; i < graph.outputs().size(); i++) {
            Value output = graph.outputs().get(i);
            infos.add(new ValueInfo(graph.outputNames().get(i), output.described(), false));
        }
        return infos;
    }
}
