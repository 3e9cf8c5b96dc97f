package dev.millrace.session;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.ExternalFiles;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.util.Failures;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a session. An immutable snapshot; {@link #builder()} makes one. {@link SessionOption} says what each
 * option means and what its default is.
 */
public final class SessionOptions {
    private final @Nullable Object[] values;

    private SessionOptions(@Nullable Object[] values) {
        this.values = values;
    }

    public static SessionOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        List<SessionOption<?>> all = SessionOption.all();
        var values = new @Nullable Object[all.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = all.get(i).byDefault();
        }
        return new Builder(values);
    }

    /** Returns a builder that starts from these options. */
    public Builder toBuilder() {
        return new Builder(values.clone());
    }

    /** Returns the value of an option. */
    public <T extends @Nullable Object> T get(SessionOption<T> option) {
        return value(values, option);
    }

    @SuppressWarnings({"unchecked", "NullAway"}) // only values of the option's type are put there
    private static <T extends @Nullable Object> T value(@Nullable Object[] values, SessionOption<T> option) {
        return (T) values[option.index()];
    }

    /**
     * Returns the value of an option by ONNX Runtime's name for it, in ONNX Runtime's spelling; empty if it is not set.
     */
    public String config(String key) {
        return ConfigKey.get(this, Failures.requireArgument(key, "key"));
    }

    /** Returns ONNX Runtime's names of options, all that {@link #config} and {@link Builder#config} take. */
    public static List<String> configKeys() {
        return ConfigKey.keys();
    }

    /** Returns the text of an option's value. */
    <T extends @Nullable Object> String text(SessionOption<T> option) {
        return option.print(get(option));
    }

    public List<ProviderChoice> providers() {
        return get(SessionOption.PROVIDERS);
    }

    public @Nullable DevicePolicy devicePolicy() {
        return get(SessionOption.DEVICE_POLICY);
    }

    public Optimiser.Options optimiser() {
        return get(SessionOption.OPTIMISER);
    }

    public int threads() {
        return get(SessionOption.THREADS);
    }

    public int maxBindings() {
        return get(SessionOption.MAX_BINDINGS);
    }

    public int concurrency() {
        return get(SessionOption.CONCURRENCY);
    }

    public EpContextOptions epContext() {
        return get(SessionOption.EP_CONTEXT);
    }

    public @Nullable ContextCache contextCache() {
        return get(SessionOption.CONTEXT_CACHE);
    }

    public boolean disableModelCompile() {
        return get(SessionOption.DISABLE_MODEL_COMPILE);
    }

    public boolean disableCpuFallback() {
        return get(SessionOption.DISABLE_CPU_FALLBACK);
    }

    public boolean failOnSuboptimalModel() {
        return get(SessionOption.FAIL_ON_SUBOPTIMAL_MODEL);
    }

    public boolean strict() {
        return get(SessionOption.STRICT);
    }

    public boolean bindLazily() {
        return get(SessionOption.BIND_LAZILY);
    }

    public List<Inputs> expected() {
        return get(SessionOption.EXPECTED);
    }

    public boolean alone() {
        return get(SessionOption.ALONE);
    }

    public @Nullable Path externalDataFolder() {
        return get(SessionOption.EXTERNAL_DATA_FOLDER);
    }

    public Map<String, MemorySegment> externalData() {
        return get(SessionOption.EXTERNAL_DATA);
    }

    /** Returns where a model's external data lies. */
    public ExternalFiles externalFiles() {
        return new ExternalFiles(externalDataFolder(), externalData());
    }

    public FileUse fileUse() {
        return get(SessionOption.FILE_USE);
    }

    public @Nullable RunListener listener() {
        return get(SessionOption.LISTENER);
    }

    public Cancellation cancellation() {
        return get(SessionOption.CANCELLATION);
    }

    public @Nullable String name() {
        return get(SessionOption.NAME);
    }

    public @Nullable String version() {
        return get(SessionOption.VERSION);
    }

    /** Returns the session's limits on the resources that it shares with others. */
    public Admission admission() {
        return new Admission(
                get(SessionOption.QUEUE), get(SessionOption.WEIGHT), get(SessionOption.MAX_CONCURRENT_RUNS));
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SessionOptions options && Arrays.equals(values, options.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    /** Returns the options that differ from their defaults. */
    @Override
    public String toString() {
        var set = new ArrayList<String>();
        for (SessionOption<?> option : SessionOption.all()) {
            Object value = values[option.index()];
            if (option != SessionOption.CANCELLATION && !Objects.equals(value, option.byDefault())) {
                set.add(option.name() + "=" + value);
            }
        }
        return "SessionOptions" + set;
    }

    /** A builder of session options. Every option has a default. */
    public static final class Builder {
        private final @Nullable Object[] values;

        private Builder(@Nullable Object[] values) {
            this.values = values;
        }

        /** Sets an option; throws (INVALID_ARGUMENT) if it cannot have this value. */
        public <T extends @Nullable Object> Builder set(SessionOption<T> option, T value) {
            values[option.index()] = option.check(value);
            return this;
        }

        /**
         * Sets an option by its {@link SessionOption#name() name} to the value that a text stands for, as files of
         * configuration and commands do. Throws (INVALID_ARGUMENT) if there is no such option or value.
         */
        public Builder set(String name, String value) {
            try {
                return setText(SessionOption.named(Failures.requireArgument(name, "name")), value);
            } catch (EngineException e) {
                throw e.at("option '" + name + "'");
            }
        }

        private <T extends @Nullable Object> Builder setText(SessionOption<T> option, String value) {
            return set(option, option.parse(value));
        }

        /** Returns the value that an option has so far. */
        public <T extends @Nullable Object> T get(SessionOption<T> option) {
            return value(values, option);
        }

        private <T> Builder add(SessionOption<List<T>> option, T value) {
            var all = new ArrayList<>(get(option));
            all.add(value);
            return set(option, all);
        }

        /**
         * Sets an option by ONNX Runtime's name for it, such as {@code ep.context_enable}, to a value in ONNX Runtime's
         * spelling. Throws (INVALID_ARGUMENT) if there is no such option or value.
         */
        public Builder config(String key, String value) {
            ConfigKey.set(this, Failures.requireArgument(key, "key"), Failures.requireArgument(value, "value"));
            return this;
        }

        /** Adds a provider behind those added before. */
        public Builder provider(String name) {
            return provider(name, Map.of());
        }

        public Builder provider(String name, Map<String, String> options) {
            return add(SessionOption.PROVIDERS, new ProviderChoice(name, options));
        }

        /** Adds a provider on one of the devices that {@link Engine#devices()} lists; a second device of the provider joins it. */
        public Builder device(ProviderDevice device) {
            return device(device, Map.of());
        }

        /** Adds a provider on a device, as {@link #device(ProviderDevice)} does, with options for the provider. */
        public Builder device(ProviderDevice device, Map<String, String> options) {
            String name = Failures.requireArgument(device, "device").provider();
            var all = new ArrayList<>(get(SessionOption.PROVIDERS));
            for (int i = 0; i < all.size(); i++) {
                ProviderChoice choice = all.get(i);
                if (choice.name().equals(name) && !choice.devices().isEmpty()) {
                    var joined = new LinkedHashMap<>(choice.options());
                    joined.putAll(options);
                    var devices = new ArrayList<>(choice.devices());
                    devices.add(device);
                    all.set(i, new ProviderChoice(name, joined, devices));
                    return set(SessionOption.PROVIDERS, all);
                }
            }
            return add(SessionOption.PROVIDERS, new ProviderChoice(name, options, List.of(device)));
        }

        /** Sets the choice of devices for a session that names no provider; null for all providers on the class path. */
        public Builder devicePolicy(@Nullable DevicePolicy value) {
            return set(SessionOption.DEVICE_POLICY, value);
        }

        /** Replaces the providers that were added before. */
        public Builder providers(List<ProviderChoice> all) {
            return set(SessionOption.PROVIDERS, all);
        }

        public Builder optimiser(Optimiser.Options value) {
            return set(SessionOption.OPTIMISER, value);
        }

        public Builder threads(int value) {
            return set(SessionOption.THREADS, value);
        }

        public Builder maxBindings(int value) {
            return set(SessionOption.MAX_BINDINGS, value);
        }

        public Builder concurrency(int value) {
            return set(SessionOption.CONCURRENCY, value);
        }

        public Builder epContext(EpContextOptions value) {
            return set(SessionOption.EP_CONTEXT, value);
        }

        /** Changes the options of context models. */
        public Builder epContext(Consumer<EpContextOptions.Builder> change) {
            EpContextOptions.Builder context = get(SessionOption.EP_CONTEXT).toBuilder();
            change.accept(context);
            return epContext(context.build());
        }

        public Builder contextCache(@Nullable ContextCache value) {
            return set(SessionOption.CONTEXT_CACHE, value);
        }

        public Builder disableModelCompile(boolean value) {
            return set(SessionOption.DISABLE_MODEL_COMPILE, value);
        }

        public Builder disableCpuFallback(boolean value) {
            return set(SessionOption.DISABLE_CPU_FALLBACK, value);
        }

        public Builder failOnSuboptimalModel(boolean value) {
            return set(SessionOption.FAIL_ON_SUBOPTIMAL_MODEL, value);
        }

        /**
         * Sets whether a model is refused (INVALID_GRAPH) for a fault that otherwise is a note in its
         * session's report: attributes that an operator does not have, operators that are deprecated, types
         * and shapes that are not those declared.
         */
        public Builder strict(boolean value) {
            return set(SessionOption.STRICT, value);
        }

        /**
         * Sets whether the first run packs weights and makes programs. Otherwise creation does so, for the shapes that
         * the model fixes, or for nominal ones where it leaves them open, and the first request does not wait for it. A
         * context model's parts are always left to the first run.
         */
        public Builder bindLazily(boolean value) {
            return set(SessionOption.BIND_LAZILY, value);
        }

        /**
         * Adds typical inputs of a request. Creation then prepares the session for inputs of these shapes, and for
         * these contents where contents decide shapes, so that the first such request waits for nothing but its own
         * computation. Nothing is run. Creation fails if a run on them would be refused.
         */
        public Builder expect(Inputs typical) {
            return add(SessionOption.EXPECTED, Failures.requireArgument(typical, "inputs"));
        }

        /** Removes the expected inputs that were added before. */
        public Builder expectNothing() {
            return set(SessionOption.EXPECTED, List.of());
        }

        /**
         * Sets whether the session prepares and holds everything for itself. Otherwise the open sessions of one file
         * that are created with the same options share one prepared model: all but the first are created at once.
         */
        public Builder alone(boolean value) {
            return set(SessionOption.ALONE, value);
        }

        public Builder externalDataFolder(@Nullable Path value) {
            return set(SessionOption.EXTERNAL_DATA_FOLDER, value);
        }

        /**
         * Gives the content of a file of external data, which is not looked for on disk then. The memory may be read by any
         * thread, and stays open and unchanged as long as the session is open. A context cache is not used.
         *
         * @param location the path of the file as the model has it, relative to the model's folder
         */
        public Builder externalData(String location, MemorySegment content) {
            var all = new HashMap<>(value(values, SessionOption.EXTERNAL_DATA));
            all.put(Failures.requireArgument(location, "location"), Failures.requireArgument(content, "content"));
            return set(SessionOption.EXTERNAL_DATA, all);
        }

        /**
         * Sets whether files are read or mapped, by default as {@link FileUse#BY_SIZE} says. Mapping is for files that
         * nobody truncates while the session is open.
         */
        public Builder fileUse(FileUse value) {
            return set(SessionOption.FILE_USE, value);
        }

        public Builder listener(@Nullable RunListener value) {
            return set(SessionOption.LISTENER, value);
        }

        public Builder cancellation(Cancellation value) {
            return set(SessionOption.CANCELLATION, value);
        }

        public Builder name(@Nullable String value) {
            return set(SessionOption.NAME, value);
        }

        public Builder version(@Nullable String value) {
            return set(SessionOption.VERSION, value);
        }

        public Builder admission(Admission value) {
            return queue(Failures.requireArgument(value, "admission").queue())
                    .weight(value.weight())
                    .maxConcurrentRuns(value.maxConcurrentRuns());
        }

        /** Sets the number of requests that may wait for the session; further ones are refused with OVERLOADED. */
        public Builder queue(int value) {
            return set(SessionOption.QUEUE, value);
        }

        /** Sets the session's share of the engine's threads, relative to a session of weight 1. */
        public Builder weight(int value) {
            return set(SessionOption.WEIGHT, value);
        }

        /** Sets the number of runs of {@code mono} and {@code flux} that may be under way at once. */
        public Builder maxConcurrentRuns(int value) {
            return set(SessionOption.MAX_CONCURRENT_RUNS, value);
        }

        public SessionOptions build() {
            return new SessionOptions(values.clone());
        }
    }
}
