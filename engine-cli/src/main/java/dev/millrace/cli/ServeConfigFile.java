package dev.millrace.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** A YAML file with flags of {@code serve}: its keys are their names without dashes, and {@code folders}. */
final class ServeConfigFile {
    static final String FLAG = "--config";
    private static final String FOLDERS = "folders";

    private final Path file;
    private final Map<String, OptionSpec> flags = new TreeMap<>();
    private final Map<?, ?> entries;

    /** @param command the command whose flags the file may have */
    private ServeConfigFile(Path file, CommandSpec command, Map<?, ?> entries) {
        this.file = file;
        this.entries = entries;
        for (OptionSpec each : command.options()) {
            if (!each.usageHelp() && !each.versionHelp() && !each.longestName().equals(FLAG)) {
                flags.put(each.longestName().substring(2), each);
            }
        }
        for (Object key : entries.keySet()) {
            if (!key.equals(FOLDERS) && !flags.containsKey(String.valueOf(key))) {
                throw new UsageException(
                        file + ": there is no key '" + key + "'; there are " + FOLDERS + " and " + flags.keySet());
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
