package dev.millrace.session.runtime;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.binary.FileState;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.pass.Effects;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.scheduler.event.FlightCreation;
import dev.millrace.scheduler.event.FlightRecording;
import dev.millrace.scheduler.plan.Plan;
import dev.millrace.scheduler.plan.PlanBuilder;
import dev.millrace.scheduler.run.PlanRunner;
import dev.millrace.session.ModelMetadata;
import dev.millrace.session.ProviderChoice;
import dev.millrace.session.RequestReport;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.SessionReport;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.modelpackage.Manifest;
import dev.millrace.session.prepare.Guard;
import dev.millrace.session.prepare.PhaseClock;
import dev.millrace.session.prepare.Preparation;
import dev.millrace.session.prepare.Prepared;
import dev.millrace.session.request.CacheRoom;
import dev.millrace.session.request.GrowingCaches;
import dev.millrace.session.request.ModelFace;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Makes a session of a model: prepares it, writes a context model if asked for, and plans it. Used once. */
final class SessionBuilder {
    /** The name of the creation phase that does the one-time work of runs ahead. */
    private static final String BIND = "bind";

    private static final Set<String> OWN_PROVIDERS = Set.of("simd", "cpu");

    private final EngineResources engine;
    private final SessionOptions options;
    private final List<FileState> data = new ArrayList<>();
    private final ContextKeeping keeping;
    private DataListener weights = new DataListener() {};
    private List<ValueInfo> inputs = List.of();
    /** Releases the memory that is reserved for the model's weights. */
    private Runnable held = () -> {};

    private @Nullable ModelMetadata metadata;
    private CacheRoom room = CacheRoom.NONE;
    /** The file that the session is of; null where its model comes from memory. */
    private @Nullable Path origin;

    SessionBuilder(EngineResources engine, SessionOptions options) {
        this.engine = engine;
        this.options = options;
        this.keeping = new ContextKeeping(engine.environment().workspaces(), options.epContext());
    }

    OpenSession fromFile(Path file) {
        origin = file;
        return build(
                file.toString(), file, () -> Models.read(file, options.externalFiles(), options.fileUse(), new Data()));
    }

    /** Creates the session from the context model that a cache keeps for {@code source}. */
    OpenSession fromCache(Path kept, Path source) {
        origin = source;
        return build(source.toString(), null, () -> Models.read(kept, options.fileUse()));
    }

    private final class Data implements DataListener {
        @Override
        public void opened(Path file) {
            try {
                data.add(FileState.of(file));
            } catch (IOException e) {
                throw new EngineException(Status.FAIL, "external data file " + file + " cannot be read: " + e, e);
            }
        }

        @Override
        public void placed(MemorySegment bytes, DataPlace place) {
            weights.placed(bytes, place);
        }
    }

    /** The files of external data that were read, with their state before. */
    List<FileState> data() {
        return List.copyOf(data);
    }

    OpenSession fromMemory(MemorySegment bytes) {
        return build(
                "model from memory",
                null,
                () -> Models.read(bytes, options.externalFiles(), options.fileUse(), new Data()));
    }

    /**
     * @param file the file that is read, and beside which a context model is written by default; null if there is none
     */
    private OpenSession build(String name, @Nullable Path file, Supplier<Model> reader) {
        engine.checkOpen();
        Path named = options.epContext().filePath();
        return keeping.guarded(named == null ? file : named, () -> {
            if (file != null && !Files.isRegularFile(file)) {
                throw noFile(file);
            }
            return make(name, reader);
        });
    }

    private static EngineException noFile(Path file) {
        if (Files.isRegularFile(file.resolve(Manifest.NAME))) {
            return EngineException.invalidArgument(
                    file.toAbsolutePath() + " is a model package: give ModelPackage.open of it to Engine.session");
        }
        return new EngineException(
                Status.NO_SUCH_FILE,
                "there is no model file " + file.toAbsolutePath()
                        + (Files.isDirectory(file) ? ": that is a folder; name the .onnx file itself" : ""));
    }

    private OpenSession make(String name, Supplier<Model> reader) {
        FlightCreation flight = FlightRecording.creationIfOn();
        if (flight == null) {
            return prepareAndFinish(name, reader);
        }
        OpenSession session;
        try {
            session = prepareAndFinish(name, reader);
        } catch (EngineException e) {
            flight.end(name, RequestReport.outcome(e));
            throw e;
        }
        flight.end(name, RequestReport.outcome(null));
        return session;
    }

    private OpenSession prepareAndFinish(String name, Supplier<Model> reader) {
        try {
            return prepared(name, reader);
        } catch (RuntimeException | Error e) {
            held.run();
            throw e;
        }
    }

    private OpenSession prepared(String name, Supplier<Model> reader) {
        var clock = new PhaseClock(System::nanoTime);
        var preparation = new Preparation(engine.environment(), BuildSettings.of(options, engine.threads()), clock);
        weights = preparation.source();
        Prepared compiled = preparation.prepare(name, () -> looked(reader.get()));
        return Guard.over(name, compiled::close, () -> finish(compiled));
    }

    /**
     * Returns the model after recording what has to be seen before it is changed: its weights'
     * size, inputs and metadata.
     */
    private Model looked(Model read) {
        held = engine.idleMemory().hold(ModelWeights.bytes(read.graph()));
        inputs = inputs(read.graph());
        metadata = ModelMetadata.of(read);
        room = CacheRoom.of(read.graph());
        if (room.equals(CacheRoom.NONE) && runsOwnKernels()) {
            room = GrowingCaches.giveRoom(read.graph());
        }
        keeping.check(read);
        return read;
    }

    /** Whether only the engine's providers see the graph, and no file keeps it. */
    private boolean runsOwnKernels() {
        return !options.epContext().enable()
                && options.contextCache() == null
                && options.providers().stream().map(ProviderChoice::name).allMatch(OWN_PROVIDERS::contains);
    }

    private OpenSession finish(Prepared compiled) {
        List<SessionReport.PartitionInfo> table = PartitionTable.of(compiled.parts());
        Path written = keeping.keep(compiled);
        compiled.clock().end("write context");
        if (written == null) {
            return planned(compiled, compiled, table, null);
        }
        Prepared published = published(compiled, written);
        if (published == null) {
            return planned(compiled, compiled, table, written);
        }
        OpenSession session =
                Guard.over(written.toString(), published::close, () -> planned(published, compiled, table, written));
        compiled.close();
        return session;
    }

    /**
     * Opens the context model that was just written. The session then shares the binary with later ones, and its
     * own compiled parts need not be held beside it. Null if the binary is no file of its own yet, has no
     * weights to share, or cannot be opened.
     */
    private @Nullable Prepared published(Prepared compiled, Path written) {
        EpContextOptions context = options.epContext();
        boolean holdsWeights = context.embedMode() == 0 && context.weightless() == WeightlessMode.NONE;
        if (!holdsWeights || !Files.isRegularFile(written)) {
            return null;
        }
        EpContextOptions reading =
                EpContextOptions.builder().verification(context.verification()).build();
        SessionOptions again = options.toBuilder().epContext(reading).build();
        try {
            Prepared opened = new Preparation(
                            engine.environment(),
                            BuildSettings.of(again, engine.threads()),
                            new PhaseClock(System::nanoTime))
                    .prepare(written.toString(), () -> Models.read(written, options.fileUse()));
            compiled.clock().end("open context");
            return opened;
        } catch (EngineException e) {
            if (e.status() == Status.MODEL_LOAD_CANCELED) {
                throw e;
            }
            compiled.notes().add("what was compiled stays in memory, since it cannot be opened: " + e.getMessage());
            return null;
        }
    }

    /**
     * Creates a session of a prepared model.
     *
     * @param source the preparation that the session's report describes
     */
    private OpenSession planned(
            Prepared prepared, Prepared source, List<SessionReport.PartitionInfo> table, @Nullable Path written) {
        Graph graph = prepared.model().graph();
        Plan plan = PlanBuilder.build(graph, prepared::assignment);
        var runner = new PlanRunner(
                plan,
                engine.pool(),
                BuildSettings.of(options, engine.threads()).threads(),
                options.maxBindings(),
                engine.idleMemory(),
                engine.devices());
        source.clock().end("plan");
        var face = new ModelFace(
                inputs, outputs(graph), metadata == null ? ModelMetadata.of(prepared.model()) : metadata, room);
        if (!options.expected().isEmpty()) {
            EarlyBinding.expect(options, face, runner);
            source.clock().end(BIND);
        } else if (!options.bindLazily() && EarlyBinding.suits(prepared.parts())) {
            EarlyBinding.bind(graph, runner, options.cancellation());
            BuildSettings.of(options, engine.threads()).checkCancelled("the creation of a session");
            source.clock().end(BIND);
        }
        List<MappedFile> mapped = prepared.mapped();
        MappedFile.check(mapped);
        for (ExecutionProvider provider : prepared.providers().all()) {
            ProviderGuard.run(provider.name(), provider::onSessionReady);
        }
        var report = new SessionReport(
                table,
                source.optimisation(),
                source.clock().phases(),
                written,
                SessionReport.CacheUse.NONE,
                source.notes().all());
        engine.factoryUse().begin();
        boolean shareable = EarlyBinding.suits(prepared.parts()) && !Effects.isRandom(graph);
        var model =
                new OpenModel(runner, mapped, face, prepared.providers(), report, List.copyOf(data), shareable, () -> {
                    held.run();
                    prepared.resolver().close();
                    engine.factoryUse().end();
                });
        return new OpenSession(engine, options, model, report, origin);
    }

    private static List<ValueInfo> inputs(Graph graph) {
        var infos = new ArrayList<ValueInfo>();
        for (Value input : graph.inputs()) {
            infos.add(new ValueInfo(input.name(), input.type(), graph.defaultOf(input) != null));
        }
        return infos;
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
