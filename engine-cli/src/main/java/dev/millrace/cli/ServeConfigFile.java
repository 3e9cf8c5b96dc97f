package dev.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * A YAML file with flags of {@code serve}: its keys are their names without dashes, {@code folders}, and {@code models} with
 * their sources.
 */
final class ServeConfigFile {
    static final String FLAG = "--config";
    static final String MODEL_FLAG = "--model";
    private static final String FOLDERS = "folders";
    private static final String MODELS = "models";
    private static final String SOURCE = "source";
    private static final Set<String> SOURCE_KEYS = Set.of(SOURCE, "file", "sha256");

    private final Path file;
    private final Map<String, OptionSpec> flags = new TreeMap<>();
    private final Map<?, ?> entries;

    /** @param command the command whose flags the file may have */
    private ServeConfigFile(Path file, CommandSpec command, Map<?, ?> entries) {
        this.file = file;
        this.entries = entries;
        for (OptionSpec each : command.options()) {
            if (!each.usageHelp()
                    && !each.versionHelp()
                    && !Set.of(FLAG, MODEL_FLAG).contains(each.longestName())) {
                flags.put(each.longestName().substring(2), each);
            }
        }
        for (Object key : entries.keySet()) {
            if (!Set.of(FOLDERS, MODELS).contains(key) && !flags.containsKey(String.valueOf(key))) {
                throw new UsageException(file + ": there is no key '" + key + "'; there are " + FOLDERS + ", " + MODELS
                        + " and " + flags.keySet());
            }
        }
    }

    static ServeConfigFile read(Path file, CommandSpec command) throws IOException {
        Object tree;
        try {
            tree = new Load(LoadSettings.builder().setLabel(file.toString()).build())
                    .loadFromString(Files.readString(file));
        } catch (YamlEngineException e) {
            throw new UsageException(file + " is no YAML: " + e.getMessage());
        }
        return switch (tree) {
            case null -> new ServeConfigFile(file, command, Map.of());
            case Map<?, ?> map -> new ServeConfigFile(file, command, map);
            default -> throw new UsageException(file + " has no keys with values, such as http-port: 8000");
        };
    }

    /**
     * Returns the file's flags as arguments.
     *
     * @param isGiven whether a flag has a value that goes before that of the file
     */
    List<String> arguments(Predicate<OptionSpec> isGiven) {
        var arguments = new ArrayList<String>();
        flags.forEach((key, flag) -> {
            if (entries.containsKey(key) && !isGiven.test(flag)) {
                add(key, flag, arguments);
            }
        });
        return arguments;
    }

    private void add(String key, OptionSpec flag, List<String> arguments) {
        Object value = entries.get(key);
        if (flag.arity().max() == 0) {
            if (!(value instanceof Boolean)) {
                throw new UsageException(file + ": " + key + " is " + value + "; it is true or false");
            }
            if (Boolean.TRUE.equals(value)) {
                arguments.add(flag.longestName());
            }
        } else {
            texts(key, flag.isMultiValue()).forEach(text -> arguments.add(flag.longestName() + "=" + text));
        }
    }

    /** Returns the models of the file with their sources, as values of {@link #MODEL_FLAG}. */
    List<String> models() {
        var models = new ArrayList<String>();
        switch (entries.get(MODELS)) {
            case null -> {}
            case Map<?, ?> map -> map.forEach((name, source) -> models.add(name + "=" + source(name, source)));
            default -> throw new UsageException(file + ": " + MODELS + " has names with sources");
        }
        return models;
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

    List<String> folders() {
        return entries.containsKey(FOLDERS) ? texts(FOLDERS, true) : List.of();
    }

    private List<String> texts(String key, boolean isList) {
        Object value = entries.get(key);
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
