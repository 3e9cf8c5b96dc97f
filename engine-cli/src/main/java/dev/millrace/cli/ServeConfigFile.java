package dev.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * A YAML file with flags of {@code serve}: its keys are their names without dashes, {@code folders}, and {@code models} with
 * their sources.
 */
final class ServeConfigFile {
    private static final String FOLDERS = "folders";
    private static final String MODELS = "models";
    private static final String SOURCE = "source";
    private static final Set<String> SOURCE_KEYS = Set.of(SOURCE, "file", "sha256");

    private final Path file;
    private final Map<?, ?> entries;
    private final ServeFlags flags = new ServeFlags();

    private ServeConfigFile(Path file, Map<?, ?> entries) {
        this.file = file;
        this.entries = entries;
    }

    /** Reads the flags and folders of a file. */
    static ServeFlags read(Path file) throws IOException {
        Object tree;
        try {
            tree = new Load(LoadSettings.builder().setLabel(file.toString()).build())
                    .loadFromString(Files.readString(file));
        } catch (YamlEngineException e) {
            throw new UsageException(file + " is no YAML: " + e.getMessage());
        }
        return switch (tree) {
            case null -> new ServeFlags();
            case Map<?, ?> map -> new ServeConfigFile(file, map).flags();
            default -> throw new UsageException(file + " has no keys with values, such as http-port: 8000");
        };
    }

    private ServeFlags flags() {
        var known = new TreeMap<String, ServeFlag>();
        Arrays.stream(ServeFlag.values())
                .filter(each -> each != ServeFlag.CONFIG && each != ServeFlag.MODEL)
                .forEach(each -> known.put(each.key(), each));
        entries.forEach((key, value) -> {
            ServeFlag flag = known.get(String.valueOf(key));
            if (flag != null) {
                addFlag(flag, value);
            } else if (FOLDERS.equals(key)) {
                texts(FOLDERS, value, true).forEach(flags::addFolder);
            } else if (MODELS.equals(key)) {
                addModels(value);
            } else {
                throw new UsageException(file + ": there is no key '" + key + "'; there are " + FOLDERS + ", " + MODELS
                        + " and " + known.keySet());
            }
        });
        return flags;
    }

    private void addFlag(ServeFlag flag, @Nullable Object value) {
        if (flag.kind() == ServeFlag.Kind.SWITCH && !(value instanceof Boolean)) {
            throw new UsageException(file + ": " + flag.key() + " is " + value + "; it is true or false");
        }
        texts(flag.key(), value, flag.kind() == ServeFlag.Kind.LIST)
                .forEach(text -> flags.add(flag, file + ": " + flag.key(), text));
    }

    private void addModels(@Nullable Object models) {
        switch (models) {
            case null -> {}
            case Map<?, ?> map ->
                map.forEach((name, source) ->
                        flags.add(ServeFlag.MODEL, file + ": " + MODELS, name + "=" + source(name, source)));
            default -> throw new UsageException(file + ": " + MODELS + " has names with sources");
        }
    }

    private String source(Object name, @Nullable Object value) {
        String place = MODELS + " " + name;
        if (!(value instanceof Map<?, ?> parts)) {
            return text(place, value);
        }
        if (!SOURCE_KEYS.containsAll(parts.keySet()) || !parts.containsKey(SOURCE)) {
            throw new UsageException(
                    file + ": " + place + " has " + parts.keySet() + "; it has source, and may have file and sha256");
        }
        String source = text(place, parts.get(SOURCE));
        String path = parts.containsKey("file") ? "/" + text(place, parts.get("file")) : "";
        String digest = parts.containsKey("sha256") ? "#sha256=" + text(place, parts.get("sha256")) : "";
        return source + path + digest;
    }

    private List<String> texts(String key, @Nullable Object value, boolean isList) {
        if (isList && value instanceof List<?> list) {
            return list.stream().map(each -> text(key, each)).toList();
        }
        return List.of(text(key, value));
    }

    private String text(String key, @Nullable Object value) {
        return switch (value) {
            case String text -> text;
            case Number number -> number.toString();
            case Boolean truth -> truth.toString();
            case null, default -> throw new UsageException(file + ": " + key + " is " + value + "; it is one value");
        };
    }
}
