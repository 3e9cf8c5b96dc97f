package dev.millrace.session;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.WeightlessMode;
import dev.millrace.session.util.Failures;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The options that have a string for a name, as ONNX Runtime's session options do: what each sets, and reads. */
enum ConfigKey {
    CONTEXT_ENABLE("ep.context_enable", context((to, value) -> to.enable(flag(value))), from(c -> text(c.enable()))),
    CONTEXT_FILE_PATH(
            "ep.context_file_path", context((to, value) -> to.filePath(file(value))), from(c -> text(c.filePath()))),
    CONTEXT_EMBED_MODE(
            "ep.context_embed_mode",
            context((to, value) -> to.embedMode(flag(value) ? 1 : 0)),
            from(c -> Integer.toString(c.embedMode()))),
    CONTEXT_NODE_NAME_PREFIX(
            "ep.context_node_name_prefix",
            context(EpContextOptions.Builder::nodeNamePrefix),
            from(EpContextOptions::nodeNamePrefix)),
    CONTEXT_EXTERNAL_INITIALIZERS(
            "ep.context_model_external_initializers_file_name",
            context(EpContextOptions.Builder::externalInitializersFile),
            from(c -> text(c.externalInitializersFile()))),
    SHARE_CONTEXTS("ep.share_ep_contexts", context((to, value) -> to.share(flag(value))), from(c -> text(c.share()))),
    STOP_SHARE_CONTEXTS(
            "ep.stop_share_ep_contexts",
            context((to, value) -> to.stopShare(flag(value))),
            from(c -> text(c.stopShare()))),
    WEIGHTLESS_MODE(
            "ep.enable_weightless_mode",
            context((to, value) -> to.weightless(weightless(value))),
            from(c -> c.weightless().code())),
    CONTEXT_SOURCE_MODEL(
            "ep.context_source_model_path",
            context((to, value) -> to.sourceModel(value.isEmpty() ? null : path(value))),
            from(c -> text(c.sourceModel()))),
    EXTERNAL_DATA_FOLDER(
            "session.model_external_initializers_file_folder_path",
            (to, value) -> to.externalDataFolder(value.isEmpty() ? null : path(value)),
            options -> text(options.externalDataFolder())),
    DISABLE_MODEL_COMPILE(
            "session.disable_model_compile",
            (to, value) -> to.disableModelCompile(flag(value)),
            options -> text(options.disableModelCompile())),
    DISABLE_CPU_FALLBACK(
            "session.disable_cpu_ep_fallback",
            (to, value) -> to.disableCpuFallback(flag(value)),
            options -> text(options.disableCpuFallback())),
    FAIL_ON_SUBOPTIMAL(
            "session.fail_on_suboptimal_compiled_model",
            (to, value) -> to.failOnSuboptimalModel(flag(value)),
            options -> text(options.failOnSuboptimalModel()));

    private final String key;
    private final BiConsumer<SessionOptions.Builder, String> setter;
    private final Function<SessionOptions, String> getter;

    ConfigKey(String key, BiConsumer<SessionOptions.Builder, String> setter, Function<SessionOptions, String> getter) {
        this.key = key;
        this.setter = setter;
        this.getter = getter;
    }

    static void set(SessionOptions.Builder to, String key, String value) {
        ConfigKey known = of(key);
        try {
            known.setter.accept(to, Failures.given(value, "value"));
        } catch (EngineException e) {
            throw e.at("option '" + key + "'");
        }
    }

    static String get(SessionOptions from, String key) {
        return of(key).getter.apply(from);
    }

    private static ConfigKey of(String key) {
        for (ConfigKey each : values()) {
            if (each.key.equals(key)) {
                return each;
            }
        }
        throw EngineException.invalidArgument("there is no option '" + key + "'; there are "
                + Arrays.stream(values()).map(each -> each.key).toList());
    }

    private static BiConsumer<SessionOptions.Builder, String> context(
            BiConsumer<EpContextOptions.Builder, String> setter) {
        return (to, value) -> to.epContext(context -> setter.accept(context, value));
    }

    private static Function<SessionOptions, String> from(Function<EpContextOptions, String> getter) {
        return options -> getter.apply(options.epContext());
    }

    private static boolean flag(String value) {
        return switch (value) {
            case "0" -> false;
            case "1" -> true;
            default -> throw EngineException.invalidArgument("'" + value + "' is neither 0 nor 1");
        };
    }

    private static @Nullable Path file(String value) {
        if (value.endsWith("/") || value.endsWith("\\")) {
            throw EngineException.invalidArgument("context_file_path should not point to a folder. It is '" + value
                    + "'; name the file to write, such as model_ctx.onnx");
        }
        return value.isEmpty() ? null : path(value);
    }

    private static Path path(String value) {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw EngineException.invalidArgument("'" + value + "' is no path");
        }
    }

    private static WeightlessMode weightless(String value) {
        return Arrays.stream(WeightlessMode.values())
                .filter(mode -> mode.code().equals(value))
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument("'" + value + "' is none of 0, 1 and 2"));
    }

    private static String text(boolean flag) {
        return flag ? "1" : "0";
    }

    private static String text(@Nullable Object value) {
        return value == null ? "" : value.toString();
    }
}
