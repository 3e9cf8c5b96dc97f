package dev.millrace.cli;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.SessionOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The flags of every command that makes a session. */
public final class SessionFlags {
    @Mixin
    private ProviderFlag providers = new ProviderFlag();

    @Mixin
    private LibraryFlag libraries = new LibraryFlag();

    @Mixin
    private DeviceFlag device = new DeviceFlag();

    @Option(names = "--no-optimize", description = "Leave the graph as it is.")
    private boolean noOptimize;

    @Option(
            names = "--level",
            paramLabel = "LEVEL",
            description = "How far the optimiser goes: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).",
            defaultValue = "ALL")
    private Level level = Level.ALL;

    @Option(
            names = "--disable-pass",
            paramLabel = "PASS",
            split = ",",
            description = "Switch passes of the optimiser off by name; inspect lists those that ran.")
    private List<String> disabledPasses = new ArrayList<>();

    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "Threads that work on one run; by default as many as the container allows.")
    private int threads;

    @Option(
            names = "--files",
            paramLabel = "USE",
            defaultValue = "BY_SIZE",
            description = "READ the model's files; MAP them, which takes less memory, where nobody cuts them short; or"
                    + " BY_SIZE (default): those of up to 32 MB are read, context binaries those of up to 128 KB.")
    private FileUse files = FileUse.BY_SIZE;

    @Option(
            names = "--source-model",
            paramLabel = "FILE",
            description = "The source of a compiled model that left its weights there; by default beside it.")
    private @Nullable Path sourceModel;

    @Option(
            names = "--strict",
            description = "Refuse models that depart from ONNX in what is otherwise read with a note.")
    private boolean strict;

    @Option(
            names = {"--option", "--config"},
            paramLabel = "NAME=VALUE",
            description =
                    "Set an option of the session: one of the guide's table of SessionOptions, by its name there, or"
                            + " by ONNX Runtime's key.")
    private Map<String, String> more = new LinkedHashMap<>();

    public Engine engine() {
        return engine(null);
    }

    /** @param cache the folder that keeps what is compiled, or null */
    public Engine engine(@Nullable Path cache) {
        UsageException.requireAtLeast(0, "--threads", threads);
        return libraries.registeredWith(Engine.create(EngineOptions.builder()
                .threads(threads)
                .contextCache(cache == null ? null : ContextCache.in(cache))
                .build()));
    }

    public SessionOptions options() {
        return builder(!noOptimize).build();
    }

    /** The options with the optimiser on or off, whatever the flag says. */
    public SessionOptions.Builder builder(boolean optimize) {
        var builder = SessionOptions.builder()
                .fileUse(files)
                .strict(strict)
                .optimiser(Optimiser.Options.builder()
                        .level(optimize ? level : Level.DISABLED)
                        .disable(disabledPasses)
                        .build());
        if (sourceModel != null) {
            builder.epContext(
                    EpContextOptions.builder().sourceModel(sourceModel).build());
        }
        providers.addTo(builder);
        device.addTo(builder);
        more.forEach((name, value) -> set(builder, name, value));
        return builder;
    }

    /** Sets an option by its name or by ONNX Runtime's key; only keys have a dot. */
    private static void set(SessionOptions.Builder builder, String name, String value) {
        if (name.contains(".")) {
            builder.config(name, value);
        } else {
            builder.set(name, value);
        }
    }

    public boolean optimizes() {
        return !noOptimize;
    }

    public int threads() {
        return threads;
    }

    /** The providers asked for, joined by {@code +}, or {@code all}. */
    public String providerLabel() {
        return providers.texts().isEmpty() ? "all" : String.join("+", providers.texts());
    }
}
