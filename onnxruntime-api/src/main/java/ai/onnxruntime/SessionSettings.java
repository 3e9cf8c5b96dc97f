package ai.onnxruntime;

import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.event.ChromeTrace;
import dev.millrace.session.SessionOptions;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The options of a session that have an effect. */
final class SessionSettings {
    /** The beginning of keys that name options of this engine. */
    private static final String OWN_KEY = "millrace.";

    /**
     * The tuples of input shapes whose bindings a session keeps: more than by default, since programs that were written
     * for ONNX Runtime run texts in their own lengths, and cannot ask for more.
     */
    private static final int BINDINGS = 64;

    private static final int LONGEST_KEY = 1024;
    private static final int LONGEST_VALUE = 8192;

    private final Map<String, String> config = new LinkedHashMap<>();
    private final Map<String, Long> extents = new LinkedHashMap<>();
    private final Map<String, OnnxTensorLike> initializers = new LinkedHashMap<>();
    private final Map<String, OnnxTensorLike> externalInitializers = new LinkedHashMap<>();
    private int threads;
    private Level level = Level.ALL;
    private @Nullable String profilePrefix;
    private @Nullable String optimizedModel;
    private boolean sharedThreads;

    void threads(int value) {
        threads = Math.max(0, value);
    }

    void level(int code) {
        level = Level.ofCode(code);
    }

    void profile(@Nullable String prefix) {
        profilePrefix = prefix;
    }

    void optimizedModel(String path) {
        optimizedModel = path;
    }

    void sharedThreads() {
        sharedThreads = true;
    }

    void extent(String symbol, long value) {
        extents.put(symbol, value);
    }

    static void checkEntry(String key, String value) throws OrtException {
        if (key.isEmpty() || key.length() > LONGEST_KEY) {
            throw Errors.invalidArgument("A key has 1 to " + LONGEST_KEY + " characters, not " + key.length());
        }
        if (value.length() > LONGEST_VALUE) {
            throw Errors.invalidArgument("The value of '" + key + "' has more than " + LONGEST_VALUE + " characters");
        }
    }

    void config(String key, String value) throws OrtException {
        checkEntry(key, value);
        config.put(key, value);
    }

    /** Returns a view of the entries. */
    Map<String, String> config() {
        return Collections.unmodifiableMap(config);
    }

    void initializer(String name, OnnxTensorLike value) throws OrtException {
        add(initializers, name, value);
    }

    void externalInitializers(Map<String, OnnxTensorLike> values) throws OrtException {
        for (var entry : values.entrySet()) {
            add(externalInitializers, entry.getKey(), entry.getValue());
        }
    }

    private static void add(Map<String, OnnxTensorLike> to, String name, OnnxTensorLike value) throws OrtException {
        value.checkClosed();
        if (to.putIfAbsent(name, value) != null) {
            throw Errors.invalidArgument("There is a value for the initializer '" + name + "' already");
        }
    }

    /** Returns the extents of symbols that the options fix. */
    Map<String, Long> extents() {
        return Map.copyOf(extents);
    }

    @Nullable
    String profilePrefix() {
        return profilePrefix;
    }

    boolean hasInitializers() {
        return !initializers.isEmpty() || !externalInitializers.isEmpty();
    }

    /** Returns the tensors of initializers that the model may have. */
    Map<String, Tensor> initializers() {
        return dense(initializers);
    }

    /** Returns the tensors of initializers that the model must have. */
    Map<String, Tensor> requiredInitializers() {
        return dense(externalInitializers);
    }

    private static Map<String, Tensor> dense(Map<String, OnnxTensorLike> values) {
        var tensors = new LinkedHashMap<String, Tensor>();
        values.forEach((name, value) -> tensors.put(name, value.dense()));
        return tensors;
    }

    /** Refuses what a session cannot do. */
    void check(OrtEnvironment environment) throws OrtException {
        if (sharedThreads && !environment.hasGlobalThreads()) {
            throw new OrtException(
                    OrtException.OrtErrorCode.ORT_FAIL,
                    "The environment was created without ThreadingOptions, so that it has no threads to share");
        }
        if (optimizedModel != null) {
            throw Errors.notImplemented("Optimised models are not written, so there will be no " + optimizedModel
                    + "; OrtModelCompilationOptions writes compiled ones");
        }
    }

    /**
     * Returns the options of the engine. Entries that the engine does not know have no effect, as in ONNX Runtime, unless
     * their key begins with {@code millrace.}.
     */
    SessionOptions.Builder engineOptions(@Nullable ChromeTrace trace) {
        SessionOptions.Builder options = SessionOptions.builder()
                .threads(threads)
                .maxBindings(BINDINGS)
                .optimiser(Optimiser.Options.builder().level(level).build())
                .listener(trace);
        config.forEach((key, value) -> {
            if (key.startsWith(OWN_KEY)) {
                options.set(key.substring(OWN_KEY.length()), value);
            } else if (SessionOptions.configKeys().contains(key)) {
                options.config(key, value);
            }
        });
        return options;
    }
}
