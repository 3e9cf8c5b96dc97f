package dev.millrace.session;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.EngineException;
import dev.millrace.providers.spi.WeightlessMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options that have a key, as ONNX Runtime's session options do: what each key of context models sets and reads, and the
 * keys of {@link SessionOption}.
 */
enum ConfigKey {
    CONTEXT_ENABLE(
            "ep.context_enable",
            (to, value) -> to.enable(OptionText.zeroOrOne(value)),
            context -> OptionText.flag(context.enable())),
    CONTEXT_FILE_PATH(
            "ep.context_file_path",
            (to, value) -> to.filePath(file(value)),
            context -> OptionText.orEmpty(context.filePath())),
    CONTEXT_EMBED_MODE(
            "ep.context_embed_mode",
            (to, value) -> to.embedMode(OptionText.zeroOrOne(value) ? 1 : 0),
            context -> Integer.toString(context.embedMode())),
    CONTEXT_NODE_NAME_PREFIX(
            "ep.context_node_name_prefix", EpContextOptions.Builder::nodeNamePrefix, EpContextOptions::nodeNamePrefix),
    CONTEXT_EXTERNAL_INITIALIZERS(
            "ep.context_model_external_initializers_file_name",
            EpContextOptions.Builder::externalInitializersFile,
            context -> OptionText.orEmpty(context.externalInitializersFile())),
    SHARE_CONTEXTS(
            "ep.share_ep_contexts",
            (to, value) -> to.share(OptionText.zeroOrOne(value)),
            context -> OptionText.flag(context.share())),
    STOP_SHARE_CONTEXTS(
            "ep.stop_share_ep_contexts",
            (to, value) -> to.stopShare(OptionText.zeroOrOne(value)),
            context -> OptionText.flag(context.stopShare())),
    WEIGHTLESS_MODE(
            "ep.enable_weightless_mode",
            (to, value) -> to.weightless(weightless(value)),
            context -> context.weightless().code()),
    CONTEXT_SOURCE_MODEL(
            "ep.context_source_model_path",
            (to, value) -> to.sourceModel(value.isEmpty() ? null : OptionText.path(value)),
            context -> OptionText.orEmpty(context.sourceModel()));

    private final String key;
    private final BiConsumer<EpContextOptions.Builder, String> setter;
    private final Function<EpContextOptions, String> getter;

    ConfigKey(
            String key,
            BiConsumer<EpContextOptions.Builder, String> setter,
            Function<EpContextOptions, String> getter) {
        this.key = key;
        this.setter = setter;
        this.getter = getter;
    }

    static void set(SessionOptions.Builder to, String key, String value) {
        ConfigKey context = ofContext(key);
        try {
            if (context == null) {
                setOfSession(to, ofSession(key), value);
            } else {
                to.epContext(builder -> context.setter.accept(builder, value));
            }
        } catch (EngineException e) {
            throw e.at("option '" + key + "'");
        }
    }

    private static <T extends @Nullable Object> void setOfSession(
            SessionOptions.Builder to, SessionOption<T> option, String value) {
        T parsed = option.parse(value);
        if (parsed instanceof Boolean) {
            OptionText.zeroOrOne(value); // ONNX Runtime has no words for flags
        }
        to.set(option, parsed);
    }

    static String get(SessionOptions from, String key) {
        ConfigKey context = ofContext(key);
        return context == null ? from.text(ofSession(key)) : context.getter.apply(from.epContext());
    }

    private static @Nullable ConfigKey ofContext(String key) {
        for (ConfigKey each : values()) {
            if (each.key.equals(key)) {
                return each;
            }
        }
        return null;
    }

    private static SessionOption<?> ofSession(String key) {
        for (SessionOption<?> option : SessionOption.all()) {
            if (key.equals(option.key())) {
                return option;
            }
        }
        throw EngineException.invalidArgument("there is no option '" + key + "'; there are " + keys());
    }

    /** Returns all keys. */
    static List<String> keys() {
        var keys = new ArrayList<String>();
        for (ConfigKey each : values()) {
            keys.add(each.key);
        }
        for (SessionOption<?> option : SessionOption.all()) {
            String key = option.key();
            if (key != null) {
                keys.add(key);
            }
        }
        return keys;
    }

    private static @Nullable Path file(String value) {
        if (value.endsWith("/") || value.endsWith("\\")) {
            throw EngineException.invalidArgument("context_file_path should not point to a folder. It is '" + value
                    + "'; name the file to write, such as model_ctx.onnx");
        }
        return value.isEmpty() ? null : OptionText.path(value);
    }

    private static WeightlessMode weightless(String value) {
        return Arrays.stream(WeightlessMode.values())
                .filter(mode -> mode.code().equals(value))
                .findFirst()
                .orElseThrow(() -> EngineException.invalidArgument("'" + value + "' is none of 0, 1 and 2"));
    }
}
