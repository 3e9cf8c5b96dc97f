package dev.millrace.session;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.ExternalFiles;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.session.util.Failures;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An option of sessions: its name, its default and its meaning. The constants are the one table of these options. The
 * builder's checks, ONNX Runtime's keys, {@code --option} of the command and the table of the guide are made from it.
 *
 * @param <T> the type of its values
 */
public final class SessionOption<T extends @Nullable Object> {
    private static final List<SessionOption<?>> ALL = new ArrayList<>();

    public static final SessionOption<List<ProviderChoice>> PROVIDERS = new SessionOption<>(
            "providers",
            null,
            "providers in the order in which they claim nodes; empty for all on the class path",
            List::of,
            value -> Failures.all(value, "providers"),
            null);
    public static final SessionOption<@Nullable DevicePolicy> DEVICE_POLICY = new SessionOption<>(
            "devicePolicy",
            null,
            "chooses devices where no provider is named ([devices](devices.md#choosing-devices)): a `DevicePreference`,"
                    + " such as `PREFER_NPU`, or a function of your own",
            () -> null,
            UnaryOperator.identity(),
            OptionText.DEVICE_POLICY);
    public static final SessionOption<Optimiser.Options> OPTIMISER =
            object("optimiser", "the passes of the optimiser", () -> Optimiser.Options.DEFAULT);
    public static final SessionOption<Integer> THREADS = number(
            "threads", 0, 0, "threads that one run may use, the caller's included; 0 for as many as the engine has");
    public static final SessionOption<Integer> MAX_BINDINGS =
            number("maxBindings", 16, 1, "tuples of input shapes whose bindings are kept");
    public static final SessionOption<Integer> CONCURRENCY =
            number("concurrency", 1, 1, "runs of a `flux` at the same time");
    public static final SessionOption<EpContextOptions> EP_CONTEXT = object(
            "epContext", "whether and how a context model is written, and how one is read", EpContextOptions::defaults);
    public static final SessionOption<@Nullable ContextCache> CONTEXT_CACHE =
            optional("contextCache", "the context cache of this session; without it the engine's, if it has one");
    public static final SessionOption<Boolean> DISABLE_MODEL_COMPILE = flag(
            "disableModelCompile",
            "session.disable_model_compile",
            "refuses to compile (`MODEL_REQUIRES_COMPILATION`): only compiled models and single kernels run");
    public static final SessionOption<Boolean> DISABLE_CPU_FALLBACK =
            flag("disableCpuFallback", "session.disable_cpu_ep_fallback", "refuses to leave nodes to `cpu` (`FAIL`)");
    public static final SessionOption<Boolean> FAIL_ON_SUBOPTIMAL_MODEL = flag(
            "failOnSuboptimalModel",
            "session.fail_on_suboptimal_compiled_model",
            "refuses a compiled model that would run faster if compiled again");
    public static final SessionOption<Boolean> STRICT = flag(
            "strict",
            null,
            "refuses a model for deviations from ONNX that are otherwise [noted](leniency.md) (`INVALID_GRAPH`)");
    public static final SessionOption<Boolean> BIND_LAZILY = flag(
            "bindLazily",
            null,
            "leaves packing and binding to the first run ([sessions](sessions.md#preparing-for-the-first-request))");
    public static final SessionOption<List<Inputs>> EXPECTED = new SessionOption<>(
            "expect",
            null,
            "typical inputs, for which creation prepares; may be called several times",
            List::of,
            value -> Failures.all(value, "inputs"),
            null);
    public static final SessionOption<Boolean> ALONE =
            flag("alone", null, "shares no prepared model with other sessions of the same file");
    public static final SessionOption<@Nullable Path> EXTERNAL_DATA_FOLDER = new SessionOption<>(
            "externalDataFolder",
            "session.model_external_initializers_file_folder_path",
            "the folder of a model's external data; by default that of its file",
            () -> null,
            UnaryOperator.identity(),
            OptionText.PATH);
    public static final SessionOption<Map<String, MemorySegment>> EXTERNAL_DATA = new SessionOption<>(
            "externalData",
            null,
            "the contents of files of external data, by their locations; may be called several times"
                    + " ([sessions](sessions.md#external-data))",
            Map::of,
            ExternalFiles::checked,
            null);
    public static final SessionOption<FileUse> FILE_USE = new SessionOption<>(
            "fileUse",
            null,
            "`BY_SIZE`, `READ` or `MAP` ([below](#fileuse))",
            () -> FileUse.BY_SIZE,
            value -> Failures.requireArgument(value, "fileUse"),
            OptionText.FILE_USE);
    public static final SessionOption<@Nullable RunListener> LISTENER =
            optional("listener", "is told of each step of each run");
    public static final SessionOption<Cancellation> CANCELLATION =
            object("cancellation", "cancels the creation of the session (`MODEL_LOAD_CANCELED`)", Cancellation::new);
    public static final SessionOption<@Nullable String> NAME = text(
            "name",
            "the name in messages, meters and logs; by default the name of the model's file without its extension,"
                + " after as many folders as distinguish it from the open sessions of other files. A model without a"
                + " file has the name of its graph");
    public static final SessionOption<@Nullable String> VERSION =
            text("version", "the version of the model in meters and logs; by default that of its metadata");
    public static final SessionOption<Integer> QUEUE = number(
            "queue",
            Admission.defaults().queue(),
            1,
            "requests that may wait ([admission](#admission)); more fail with `OVERLOADED`");
    public static final SessionOption<Integer> WEIGHT = number(
            "weight",
            Admission.defaults().weight(),
            1,
            Admission.HIGHEST_WEIGHT,
            "the session's share of thread time, relative to a session of weight 1; at most "
                    + Admission.HIGHEST_WEIGHT);
    public static final SessionOption<Integer> MAX_CONCURRENT_RUNS = number(
            "maxConcurrentRuns",
            Admission.defaults().maxConcurrentRuns(),
            1,
            "runs of `mono` and `flux` at the same time; by default limited by the threads alone");

    private final int index;
    private final String name;
    private final @Nullable String key;
    private final String meaning;
    private final Supplier<T> byDefault;
    private final UnaryOperator<T> check;
    private final @Nullable OptionText<T> text;

    private SessionOption(
            String name,
            @Nullable String key,
            String meaning,
            Supplier<T> byDefault,
            UnaryOperator<T> check,
            @Nullable OptionText<T> text) {
        this.index = ALL.size();
        this.name = name;
        this.key = key;
        this.meaning = meaning;
        this.byDefault = byDefault;
        this.check = check;
        this.text = text;
        ALL.add(this);
    }

    private static <V> SessionOption<V> object(String name, String meaning, Supplier<V> byDefault) {
        return new SessionOption<>(
                name, null, meaning, byDefault, value -> Failures.requireArgument(value, name), null);
    }

    private static <V> SessionOption<@Nullable V> optional(String name, String meaning) {
        return new SessionOption<>(name, null, meaning, () -> null, UnaryOperator.identity(), null);
    }

    private static SessionOption<Boolean> flag(String name, @Nullable String key, String meaning) {
        return new SessionOption<>(name, key, meaning, () -> false, UnaryOperator.identity(), OptionText.FLAG);
    }

    private static SessionOption<@Nullable String> text(String name, String meaning) {
        return new SessionOption<>(name, null, meaning, () -> null, UnaryOperator.identity(), OptionText.TEXT);
    }

    private static SessionOption<Integer> number(String name, int byDefault, int least, String meaning) {
        return number(name, byDefault, least, Integer.MAX_VALUE, meaning);
    }

    private static SessionOption<Integer> number(String name, int byDefault, int least, int most, String meaning) {
        return new SessionOption<>(
                name, null, meaning, () -> byDefault, value -> between(name, value, least, most), OptionText.NUMBER);
    }

    private static int between(String name, int value, int least, int most) {
        if (value < least) {
            throw EngineException.invalidArgument(name + " is " + value + "; it is at least " + least);
        }
        if (value > most) {
            throw EngineException.invalidArgument(name + " is " + value + "; it is at most " + most);
        }
        return value;
    }

    /** Returns all options, in the order of the guide's table. */
    public static List<SessionOption<?>> all() {
        return Collections.unmodifiableList(ALL);
    }

    /** Returns the option of this name; throws (INVALID_ARGUMENT) if there is none. */
    public static SessionOption<?> named(String name) {
        for (SessionOption<?> option : ALL) {
            if (option.name.equals(name)) {
                return option;
            }
        }
        throw EngineException.invalidArgument("there is no option '" + name + "'; there are "
                + ALL.stream().map(option -> option.name).toList());
    }

    /** The name of the builder's method, of Kotlin's property or function, and of {@code --option}. */
    public String name() {
        return name;
    }

    /** ONNX Runtime's key of the option, or null if it has none. */
    public @Nullable String key() {
        return key;
    }

    /** The meaning of the option, in Markdown. */
    public String meaning() {
        return meaning;
    }

    /** Whether a text can be its value. */
    public boolean hasText() {
        return text != null;
    }

    /** Returns its value in new options. */
    public T byDefault() {
        return byDefault.get();
    }

    /** Returns the value that a text stands for; throws (INVALID_ARGUMENT) if it stands for none. */
    public T parse(String value) {
        return requireText().parse(Failures.requireArgument(value, "value"));
    }

    /** Returns a text that stands for a value. */
    public String print(T value) {
        return requireText().print(value);
    }

    private OptionText<T> requireText() {
        if (text == null) {
            throw EngineException.invalidArgument("option '" + name + "' has no text; it is set by the program");
        }
        return text;
    }

    /** Returns the value as options keep it; throws (INVALID_ARGUMENT) if the option cannot have it. */
    T check(T value) {
        return check.apply(value);
    }

    int index() {
        return index;
    }

    @Override
    public String toString() {
        return name;
    }
}
