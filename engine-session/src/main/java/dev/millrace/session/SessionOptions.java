package dev.millrace.session;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.util.Failures;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a session. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param providers the providers that may take parts of the graph, of which the first that claims a node gets
 *     it; empty for all that there are
 * @param optimiser the options of the optimiser
 * @param threads the number of threads that one run may use, the caller's included; 0 for as many as the engine has
 * @param maxBindings the number of tuples of input shapes that are remembered
 * @param concurrency the number of runs that a {@code flux} has under way at once
 * @param epContext the options of context models: whether and how one is written, and the folder
 *     of a context model from memory
 * @param contextCache the cache in which a session of a model file finds earlier compilations and stores new ones; null
 *     for the engine's, if it has one
 * @param disableModelCompile refuses to compile: only parts that were compiled before, and single kernels
 * @param disableCpuFallback refuses to leave nodes to the provider {@code cpu}
 * @param failOnSuboptimalModel refuses a compiled model that would be faster compiled again
 * @param strict refuses a model for a departure from ONNX that otherwise is noted: attributes that an operator does not
 *     have, types and shapes that are not those declared
 * @param bindLazily leaves to the first run the one-time work that a model's declared shapes allow to do before
 * @param expected typical inputs of requests: creation prepares for them in place of nominal shapes
 * @param alone shares nothing with other open sessions of the same file
 * @param externalDataFolder the folder of a model's external data; null for the folder of its file
 * @param fileUse whether the session's files are read or mapped
 * @param listener a listener to every step of every run
 * @param cancellation stops the session's creation
 * @param name the session's name in messages; null for the name of the model's file without its extension, after as many
 *     folders as distinguish it from the engine's open sessions of other files, or for the name of the model's graph where
 *     there is no file
 * @param version the version of the model, for meters and logs; null for that of the model's metadata
 * @param admission the session's limits on the resources that it shares with others
 */
public record SessionOptions(
        List<ProviderChoice> providers,
        Optimiser.Options optimiser,
        int threads,
        int maxBindings,
        int concurrency,
        EpContextOptions epContext,
        @Nullable ContextCache contextCache,
        boolean disableModelCompile,
        boolean disableCpuFallback,
        boolean failOnSuboptimalModel,
        boolean strict,
        boolean bindLazily,
        List<Inputs> expected,
        boolean alone,
        @Nullable Path externalDataFolder,
        FileUse fileUse,
        @Nullable RunListener listener,
        Cancellation cancellation,
        @Nullable String name,
        @Nullable String version,
        Admission admission) {

    public SessionOptions {
        providers = List.copyOf(providers);
        expected = List.copyOf(expected);
        atLeast("threads", threads, 0);
        atLeast("maxBindings", maxBindings, 1);
        atLeast("concurrency", concurrency, 1);
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw EngineException.invalidArgument(name + " is " + value + "; it is at least " + least);
        }
    }

    public static SessionOptions defaults() {
        return builder().build();
    }

    /**
     * Returns the value of an option by ONNX Runtime's name for it, in ONNX Runtime's spelling; empty if it is not set.
     */
    public String config(String key) {
        return ConfigKey.get(this, Failures.given(key, "key"));
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        Builder builder = builder()
                .optimiser(optimiser)
                .threads(threads)
                .maxBindings(maxBindings)
                .concurrency(concurrency)
                .epContext(epContext)
                .contextCache(contextCache)
                .disableModelCompile(disableModelCompile)
                .disableCpuFallback(disableCpuFallback)
                .failOnSuboptimalModel(failOnSuboptimalModel)
                .strict(strict)
                .bindLazily(bindLazily)
                .alone(alone)
                .externalDataFolder(externalDataFolder)
                .fileUse(fileUse)
                .listener(listener)
                .cancellation(cancellation)
                .name(name)
                .version(version)
                .admission(admission);
        providers.forEach(choice -> builder.provider(choice.name(), choice.options()));
        expected.forEach(builder::expect);
        return builder;
    }

    /** A builder of session options. Every option has a default. */
    public static final class Builder {
        private final List<ProviderChoice> providers = new ArrayList<>();
        private Optimiser.Options optimiser = Optimiser.Options.DEFAULT;
        private int threads;
        private int maxBindings = 16;
        private int concurrency = 1;
        private EpContextOptions epContext = EpContextOptions.defaults();
        private @Nullable ContextCache contextCache;
        private boolean disableModelCompile;
        private boolean disableCpuFallback;
        private boolean failOnSuboptimalModel;
        private boolean strict;
        private boolean bindLazily;
        private final List<Inputs> expected = new ArrayList<>();
        private boolean alone;
        private @Nullable Path externalDataFolder;
        private FileUse fileUse = FileUse.BY_SIZE;
        private @Nullable RunListener listener;
        private Cancellation cancellation = new Cancellation();
        private @Nullable String name;
        private @Nullable String version;
        private Admission admission = Admission.defaults();

        private Builder() {}

        /** Adds a provider behind those added before. */
        public Builder provider(String name) {
            return provider(name, Map.of());
        }

        public Builder provider(String name, Map<String, String> options) {
            providers.add(new ProviderChoice(name, options));
            return this;
        }

        /** Replaces the providers that were added before. */
        public Builder providers(List<ProviderChoice> all) {
            providers.clear();
            providers.addAll(all);
            return this;
        }

        public Builder optimiser(Optimiser.Options value) {
            optimiser = value;
            return this;
        }

        public Builder threads(int value) {
            threads = value;
            return this;
        }

        public Builder maxBindings(int value) {
            maxBindings = value;
            return this;
        }

        public Builder concurrency(int value) {
            concurrency = value;
            return this;
        }

        public Builder epContext(EpContextOptions value) {
            epContext = value;
            return this;
        }

        /** Changes the options of context models. */
        Builder epContext(Consumer<EpContextOptions.Builder> change) {
            EpContextOptions.Builder context = epContext.toBuilder();
            change.accept(context);
            epContext = context.build();
            return this;
        }

        /**
         * Sets an option by ONNX Runtime's name for it, such as {@code ep.context_enable}, to a value in ONNX Runtime's
         * spelling. Throws (INVALID_ARGUMENT) if there is no such option or value.
         */
        public Builder config(String key, String value) {
            ConfigKey.set(this, Failures.given(key, "key"), value);
            return this;
        }

        public Builder contextCache(@Nullable ContextCache value) {
            contextCache = value;
            return this;
        }

        public Builder disableModelCompile(boolean value) {
            disableModelCompile = value;
            return this;
        }

        public Builder disableCpuFallback(boolean value) {
            disableCpuFallback = value;
            return this;
        }

        public Builder failOnSuboptimalModel(boolean value) {
            failOnSuboptimalModel = value;
            return this;
        }

        /**
         * Sets whether a model is refused (INVALID_GRAPH) for a fault that otherwise is a note in its
         * session's report: attributes that an operator does not have, operators that are deprecated, types
         * and shapes that are not those declared.
         */
        public Builder strict(boolean value) {
            strict = value;
            return this;
        }

        /**
         * Sets whether the first run packs weights and makes programs. Otherwise creation does so, for the shapes that
         * the model fixes, or for nominal ones where it leaves them open, and the first request does not wait for it. A
         * context model's parts are always left to the first run.
         */
        public Builder bindLazily(boolean value) {
            bindLazily = value;
            return this;
        }

        /**
         * Adds typical inputs of a request. Creation then prepares the session for inputs of these shapes, and for
         * these contents where contents decide shapes, so that the first such request waits for nothing but its own
         * computation. Nothing is run. Creation fails if a run on them would be refused.
         */
        public Builder expect(Inputs typical) {
            expected.add(Failures.given(typical, "inputs"));
            return this;
        }

        /** Removes the expected inputs that were added before. */
        public Builder expectNothing() {
            expected.clear();
            return this;
        }

        /**
         * Sets whether the session prepares and holds everything for itself. Otherwise the open sessions of one file
         * that are created with the same options share one prepared model: all but the first are created at once.
         */
        public Builder alone(boolean value) {
            alone = value;
            return this;
        }

        public Builder externalDataFolder(@Nullable Path value) {
            externalDataFolder = value;
            return this;
        }

        /**
         * Sets whether files are read or mapped, by default as {@link FileUse#BY_SIZE} says. Mapping is for files that
         * nobody truncates while the session is open.
         */
        public Builder fileUse(FileUse value) {
            fileUse = value;
            return this;
        }

        public Builder listener(@Nullable RunListener value) {
            listener = value;
            return this;
        }

        public Builder cancellation(Cancellation value) {
            cancellation = value;
            return this;
        }

        public Builder name(@Nullable String value) {
            name = value;
            return this;
        }

        public Builder version(@Nullable String value) {
            version = value;
            return this;
        }

        public Builder admission(Admission value) {
            admission = value;
            return this;
        }

        /** Sets the number of requests that may wait for the session; further ones are refused with OVERLOADED. */
        public Builder queue(int value) {
            return admission(new Admission(value, admission.weight(), admission.maxConcurrentRuns()));
        }

        /** Sets the session's share of the engine's threads, relative to a session of weight 1. */
        public Builder weight(int value) {
            return admission(new Admission(admission.queue(), value, admission.maxConcurrentRuns()));
        }

        /** Sets the number of runs of {@code mono} and {@code flux} that may be under way at once. */
        public Builder maxConcurrentRuns(int value) {
            return admission(new Admission(admission.queue(), admission.weight(), value));
        }

        public SessionOptions build() {
            return new SessionOptions(
                    providers,
                    optimiser,
                    threads,
                    maxBindings,
                    concurrency,
                    epContext,
                    contextCache,
                    disableModelCompile,
                    disableCpuFallback,
                    failOnSuboptimalModel,
                    strict,
                    bindLazily,
                    expected,
                    alone,
                    externalDataFolder,
                    fileUse,
                    listener,
                    cancellation,
                    name,
                    version,
                    admission);
        }
    }
}
