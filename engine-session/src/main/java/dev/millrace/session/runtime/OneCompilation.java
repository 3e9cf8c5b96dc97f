package dev.millrace.session.runtime;

import dev.millrace.epcontext.BinaryTarget;
import dev.millrace.epcontext.CompiledModel;
import dev.millrace.epcontext.ContextModelWriter;
import dev.millrace.epcontext.ContextOutput;
import dev.millrace.epcontext.ContextOutputs;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.CompileOptions;
import dev.millrace.session.CompileProgress;
import dev.millrace.session.CompileReport;
import dev.millrace.session.InitializerPlacement;
import dev.millrace.session.ModelInput;
import dev.millrace.session.ModelOutput;
import dev.millrace.session.SessionReport;
import dev.millrace.session.prepare.BuildOptions;
import dev.millrace.session.prepare.Guard;
import dev.millrace.session.prepare.PhaseClock;
import dev.millrace.session.prepare.Preparation;
import dev.millrace.session.prepare.Prepared;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The compilation of one model by a {@link ModelCompiler}. Used once. */
final class OneCompilation {
    /** The number of phases: read, check, optimise, partition, compile, write. */
    private static final int PHASES = 6;

    private final CompileOptions options;
    private final ModelInput input;
    private final ModelOutput output;
    private final BuildOptions build;
    private final ContextKeeping keeping;
    private final PhaseClock clock = new PhaseClock(System::nanoTime, this::ended);
    private final Preparation preparation;
    /** The files of the source's external data. */
    private final Set<Path> data = new LinkedHashSet<>();
    /** The places of the source's tensors in its external data, by their memory. */
    private final Map<MemorySegment, DataPlace> places = new HashMap<>();

    private int done;

    OneCompilation(
            EngineResources engine,
            CompileOptions options,
            ModelInput input,
            ModelOutput output,
            BooleanSupplier cancelled) {
        this.options = options;
        this.input = input;
        this.output = output;
        this.keeping = new ContextKeeping(
                engine.environment().workspaces(), options.session().epContext());
        this.build = BuildSettings.of(options.session(), engine.threads(), cancelled);
        this.preparation = new Preparation(engine.environment(), build, clock);
    }

    private void ended(String phase) {
        done++;
        Consumer<CompileProgress> progress = options.progress();
        if (progress != null) {
            progress.accept(new CompileProgress(phase, done, PHASES));
        }
    }

    CompileReport run() {
        Path source = input instanceof ModelInput.File file ? file.file() : null;
        Path target = output instanceof ModelOutput.File file && file.file() != null ? file.file() : source;
        return keeping.guarded(target, this::compile);
    }

    private CompileReport compile() {
        try (Prepared prepared = preparation.prepare(InputReader.describe(input), this::read)) {
            return Guard.over(InputReader.describe(input), () -> {}, () -> write(prepared));
        }
    }

    private Model read() {
        Model model = new InputReader(options.session(), new Places()).read(input);
        ContextModelWriter.checkNotCompiled(model);
        ContextOutput place = place(model);
        keeping.check(model, place);
        place.checkApart(data);
        return model;
    }

    private CompileReport write(Prepared prepared) {
        CompiledModel compiled = prepared.compiled();
        if (compiled.isEmpty() && options.errorIfNothingCompiled()) {
            throw new EngineException(
                    Status.FAIL,
                    "Unable to compile any nodes: none of the providers that take part compiles one of this model");
        }
        build.checkCancelled("compiling");
        List<SessionReport.PartitionInfo> partitions = PartitionTable.of(prepared.parts());
        ContextOutput place = place(compiled.model());
        write(compiled, place, prepared);
        written(prepared);
        return new CompileReport(
                place.model(),
                partitions,
                prepared.optimisation(),
                clock.phases(),
                prepared.notes().all());
    }

    /** Ends the last phase. The output is written by then, so a failing progress listener adds only a note. */
    private void written(Prepared prepared) {
        try {
            clock.end("write");
        } catch (RuntimeException e) {
            prepared.notes().add("who listens to the progress failed when all was written: " + e);
        }
    }

    private void write(CompiledModel compiled, ContextOutput place, Prepared prepared) {
        switch (output) {
            case ModelOutput.File _ -> keeping.write(compiled, place, prepared);
            case ModelOutput.Chunks chunks -> ContextModelWriter.write(compiled, place, chunks.stream());
            case ModelOutput.Buffer buffer -> {
                var bytes = new ByteArrayOutputStream();
                ContextModelWriter.write(compiled, place, bytes);
                buffer.set(bytes.toByteArray());
            }
        }
    }

    private ContextOutput place(Model source) {
        EpContextOptions context = options.session().epContext();
        ContextOutput place = switch (output) {
            case ModelOutput.File file -> {
                Path named = file.file();
                yield ContextOutputs.toFile(
                        named == null ? ContextOutput.besideSource(source) : named, context, tensors(context));
            }
            case ModelOutput.Chunks _, ModelOutput.Buffer _ -> ContextOutputs.toStream(context, tensors(context));
        };
        Path folder = options.binaryFolder();
        String name = options.binaryName();
        if (folder != null && name != null) {
            place = place.withBinaries(folder, name);
        }
        BinaryTarget target = options.binaryTarget();
        if (target != null && name != null) {
            place = place.withTarget(target, name);
        }
        return options.errorIfOutputExists() ? place : place.replacing();
    }

    private @Nullable DataPlace placed(InitializerPlacement placement, String name, Tensor tensor) {
        try {
            return placement.place(name, tensor, places.get(tensor.segment()));
        } catch (IOException | RuntimeException e) {
            throw new EngineException(
                    Status.FAIL,
                    "Caught exception while asking the user's placement of initializer '" + name + "': "
                            + e.getMessage(),
                    e);
        }
    }

    private WriteOptions tensors(EpContextOptions context) {
        InitializerPlacement placement = options.placement();
        if (placement != null) {
            return WriteOptions.placed((name, tensor) -> placed(placement, name, tensor));
        }
        String file = context.externalInitializersFile();
        return file == null ? WriteOptions.inline() : WriteOptions.externalData(file, options.externalFrom());
    }

    /** Records the places of tensors in external data, for placements that leave them there. */
    private final class Places implements DataListener {
        @Override
        public void opened(Path file) {
            data.add(file);
        }

        @Override
        public void placed(MemorySegment bytes, DataPlace place) {
            if (options.placement() != null) {
                places.put(bytes, place);
            }
            preparation.source().placed(bytes, place);
        }
    }
}
