package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.server.config.ConfigFile;
import dev.millrace.server.protocol.ModelConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A model as it lies in a repository, or as it comes from a source.
 *
 * @param name the name of its folder, or of its file without the ending
 * @param place its folder, or its only file; null if no repository has it
 * @param versions the folders of its versions, or a file as version 1
 * @param source its name in a source; null if its files are in the repository
 */
record StoredModel(
        String name,
        @Nullable Path place,
        SortedMap<Long, Path> versions,
        @Nullable String source) {
    private static final String ENDING = ".onnx";
    private static final Pattern VERSION = Pattern.compile("[1-9]\\d{0,17}");

    /** Lists the models of a repository with certain names. What is neither a folder nor an ONNX file is passed over. */
    static List<StoredModel> list(Path repository, Predicate<String> names) {
        var models = new ArrayList<StoredModel>();
        for (Path each : entries(repository)) {
            String file = each.getFileName().toString();
            if (file.startsWith(".")) {
                continue;
            }
            String name = file.endsWith(ENDING) ? file.substring(0, file.length() - ENDING.length()) : file;
            if (names.test(file) && Files.isDirectory(each)) {
                models.add(ofFolder(file, each));
            } else if (file.endsWith(ENDING) && names.test(name) && !Files.isDirectory(each)) {
                models.add(ofFile(name, each));
            }
        }
        return models;
    }

    static StoredModel ofFolder(String name, Path folder) {
        var versions = new TreeMap<Long, Path>();
        for (Path each : entries(folder)) {
            String number = each.getFileName().toString();
            if (VERSION.matcher(number).matches() && Files.isDirectory(each)) {
                versions.put(Long.valueOf(number), each);
            }
        }
        return new StoredModel(name, folder, versions, null);
    }

    private static StoredModel ofFile(String name, Path file) {
        return new StoredModel(name, file, new TreeMap<>(Map.of(1L, file)), null);
    }

    /** Returns a model that no repository has. It has no versions until it is fetched. */
    static StoredModel ofSource(String name, String source) {
        return new StoredModel(name, null, new TreeMap<>(), source);
    }

    StoredModel withSource(String named) {
        return new StoredModel(name, place, versions, named);
    }

    /** Returns the model with a file that was fetched as its version 1. */
    StoredModel at(Path file) {
        return new StoredModel(name, place, new TreeMap<>(Map.of(1L, file)), source);
    }

    /** The folder of files that the configuration names: the model's own, or that of its file. */
    Path folder() {
        Path own = place != null && source == null && isFile()
                ? place.toAbsolutePath().getParent()
                : place;
        Path parent =
                own == null ? versions.firstEntry().getValue().toAbsolutePath().getParent() : own;
        return parent == null ? Path.of("") : parent;
    }

    /** Whether it is one file of a repository, without a configuration. */
    boolean isFile() {
        return source == null && place != null && !Files.isDirectory(place);
    }

    /** Returns the configuration of its folder; an empty one if it has none. */
    ModelConfig config() {
        return place == null || isFile() ? ModelConfig.getDefaultInstance() : ConfigFile.read(place);
    }

    /** Returns what changes whenever a file of this version, or one beside the versions, changes. */
    String state(long version) {
        Path folder = versions.get(version);
        try (Stream<Path> own = folder == null ? Stream.empty() : Files.walk(folder)) {
            return state(Stream.concat(own, besideVersions()).toList());
        } catch (IOException e) {
            throw unreadable(folder(), e);
        }
    }

    /** Returns the entries of its folder that are no versions; none if it has no folder. */
    private Stream<Path> besideVersions() {
        if (place == null || !Files.isDirectory(place)) {
            return Stream.empty();
        }
        return entries(place).stream()
                .filter(each -> !VERSION.matcher(each.getFileName().toString()).matches());
    }

    private static String state(List<Path> files) {
        var state = new StringBuilder();
        for (Path each : files) {
            try {
                var facts = Files.readAttributes(each, BasicFileAttributes.class);
                if (!facts.isDirectory()) {
                    state.append(each)
                            .append(' ')
                            .append(facts.size())
                            .append(' ')
                            .append(facts.lastModifiedTime());
                    state.append(' ').append(facts.fileKey()).append('\n');
                }
            } catch (IOException e) {
                state.append(each).append(" is gone\n");
            }
        }
        return state.toString();
    }

    private static List<Path> entries(Path folder) {
        try (Stream<Path> all = Files.list(folder)) {
            return all.sorted().toList();
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private static EngineException unreadable(Path folder, IOException e) {
        return new EngineException(Status.NO_SUCH_FILE, folder + " cannot be read: " + e, e);
    }
}
