package dev.millrace.spring.boot;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.session.SessionOption;
import dev.millrace.session.SessionOptions;
import java.io.File;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of a session.
 *
 * @param model Path of the ONNX model or of its folder, its location on the class path after 'classpath:', or its name at a hub or in a
 *     package, such as 'hf:ORG/NAME/onnx/model.onnx'.
 * @param providers Providers in the order in which they claim nodes; all on the class path by default.
 * @param options Options of the session by their names in the guide, such as threads, queue or max-bindings.
 * @param batch Batching of the requests of several callers.
 * @param warmUp Runs on zeros before the session answers, each as the shapes of inputs: 'input_ids=1x128 attention_mask=1x128'.
 * @param contextCache Folder of compiled models for this session, in place of the one of the engine.
 */
public record SessionProperties(
        @Nullable String model,
        @DefaultValue List<String> providers,
        @DefaultValue Map<String, String> options,
        @Nullable @NestedConfigurationProperty BatchProperties batch,
        @DefaultValue List<String> warmUp,
        @Nullable File contextCache) {
    public SessionProperties {
        providers = List.copyOf(providers);
        options = Map.copyOf(options);
        warmUp = List.copyOf(warmUp);
    }

    /** Returns the options of a session of this name with these properties. */
    public SessionOptions.Builder sessionOptions(String name) {
        SessionOptions.Builder made = SessionOptions.builder().name(name);
        options.forEach((key, text) -> made.set(option(key), text));
        providers.forEach(made::provider);
        if (contextCache != null) {
            made.contextCache(ContextCache.in(contextCache.toPath()));
        }
        return made;
    }

    /** Returns the name of the option that a key means. Properties may write it with dashes, environment variables in one case. */
    private static String option(String key) {
        return SessionOption.all().stream()
                .map(SessionOption::name)
                .filter(name -> plain(name).equals(plain(key)))
                .findFirst()
                .orElse(key);
    }

    private static String plain(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }
}
