package dev.millrace.session;

import dev.millrace.epcontext.ContextCache;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.build.BuildOptions;
import dev.millrace.session.build.ProviderRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How a session is made and run. An immutable snapshot; {@link #builder()} makes one.
 *
 * @param providers who may take parts of the graph, the first who claims a node gets it; empty for all there are
 * @param optimiser which passes run
 * @param threads how many threads one run may use, the caller's included; 0 for as many as the engine has
 * @param maxBindings how many tuples of input shapes are remembered
 * @param concurrency how many runs a {@code flux} has under way at once
 * @param epContext whether and how a context model is written, and where a model from memory has its context
 * @param contextCache where a session of a model file finds what was compiled before, and leaves what it compiles; null for
 *     the engine's, if it has one
 * @param disableModelCompile refuses to compile: only what was compiled before, and single kernels
 * @param disableCpuFallback refuses to leave nodes to the plain provider
 * @param failOnSuboptimalModel refuses a compiled model that would be faster compiled again
 * @param strict refuses a model that departs from ONNX in what is otherwise read with a note: attributes that an operator
 *     does not have, types and shapes that are not those declared
 * @param bindLazily leaves to the first run what a model's declared shapes allow to be done before
 * @param expected what requests will typically bring: creation prepares for it in place of what it would guess
 * @param alone shares nothing with other open sessions of the same file
 * @param externalDataFolder where a model from memory has its external data
 * @param fileUse whether the session's files are read, or mapped
 * @param listener hears of every step of every run
 * @param cancellation stops the session's creation
 * @param name what messages call the session; null for the name of the model's file without its extension, after as many folders as
 *     tell it from the engine's open sessions of other files, or of the model's graph where there is no file
 * @param version of the model, for meters and logs; null for what the model says
 * @param admission what the session may take of what it shares with others
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

    /** What decides how a model is built, on an engine of so many threads. */
    BuildOptions forBuild(int engineThreads) {
        return forBuild(engineThreads, cancellation::isCancelled);
    }

    /** The same for who stops it otherwise. */
    BuildOptions forBuild(int engineThreads, BooleanSupplier cancelled) {
        return new BuildOptions(
                providers.stream()
                        .map(choice -> new ProviderRequest(choice.name(), choice.options()))
                        .toList(),
                optimiser,
                threads == 0 ? engineThreads : threads,
                epContext,
                disableModelCompile,
                disableCpuFallback,
                failOnSuboptimalModel,
                strict,
                externalDataFolder,
                fileUse,
                cancelled);
    }

    public static SessionOptions defaults() {
        return builder().build();
    }

    /** An option by the name that ONNX Runtime has for it, as it is spelled there; what is not set is empty. */
    public String config(String key) {
        return ConfigKey.get(this, Failures.given(key, "key"));
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A builder that starts from these options. */
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

    /** Every option has a default. */
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

        /** Adds a provider after those named before. */
        public Builder provider(String name) {
            return provider(name, Map.of());
        }

        public Builder provider(String name, Map<String, String> options) {
            providers.add(new ProviderChoice(name, options));
            return this;
        }

        /** In place of those named before. */
        Builder providers(List<ProviderChoice> all) {
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
         * Sets an option by the name that ONNX Runtime has for it, such as {@code ep.context_enable}, to a value as it is
         * spelled there. Throws (INVALID_ARGUMENT) where there is no such option or value.
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
         * Whether a model is refused (INVALID_GRAPH) for what otherwise is a note in its session's report: attributes that
         * an operator does not have, operators that are deprecated, types and shapes that are not those declared.
         */
        public Builder strict(boolean value) {
            strict = value;
            return this;
        }

        /**
         * Whether weights are packed, and programs made, by the first run. Otherwise creation does so, to the shapes that the
         * model fixes, or to usual ones where it leaves them open, and the first request does not wait for it. What a context
         * model holds is always left to the first run.
         */
        public Builder bindLazily(boolean value) {
            bindLazily = value;
            return this;
        }

        /**
         * Says what a request will typically bring, in addition to what was said before. Creation then prepares the session
         * for inputs of these shapes, and for these contents where contents decide shapes, so that the first request like
         * it waits for nothing but its own computation. Nothing is run. Creation fails where a run on them would be refused.
         */
        public Builder expect(Inputs typical) {
            expected.add(Failures.given(typical, "inputs"));
            return this;
        }

        /** In place of what was expected before. */
        Builder expectNothing() {
            expected.clear();
            return this;
        }

        /**
         * Whether the session prepares and holds all for itself. Otherwise sessions of one file that are open at once, and
         * made with the same options, hold what was prepared together: all but the first are there at once.
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
         * Whether files are read, or mapped: by default as {@link FileUse#BY_SIZE} says. Mapping is for files that nobody
         * cuts short while the session is open.
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

        /** How many requests may wait for the session; more are refused with OVERLOADED. */
        public Builder queue(int value) {
            return admission(new Admission(value, admission.weight(), admission.maxConcurrentRuns()));
        }

        /** How much more of the engine's threads the session gets than one of weight 1. */
        public Builder weight(int value) {
            return admission(new Admission(admission.queue(), value, admission.maxConcurrentRuns()));
        }

        /** How many runs of {@code mono} and {@code flux} are under way at once. */
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
