package dev.millrace.server.repository;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A model as it lies in a repository.
 *
 * @param name the name of its folder, or of its file without the ending
 * @param place its folder, or its only file
 * @param versions the folders of its versions, or the file as version 1
 */
record StoredModel(String name, Path place, SortedMap<Long, Path> versions) {
    private static final String ENDING = ".onnx";
    private static final Pattern VERSION = Pattern.compile("[1-9]\\d{0,17}");

    /** Lists the models of a repository by their names. What is neither a folder nor an ONNX file is passed over. */
    static List<StoredModel> list(Path repository) {
        var models = new ArrayList<StoredModel>();
        for (Path each : entries(repository)) {
            String file = each.getFileName().toString();
            if (file.startsWith(".")) {
                continue;
            }
            if (Files.isDirectory(each)) {
                models.add(ofFolder(file, each));
            } else if (file.endsWith(ENDING)) {
                models.add(ofFile(file.substring(0, file.length() - ENDING.length()), each));
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
        return new StoredModel(name, folder, versions);
    }

    private static StoredModel ofFile(String name, Path file) {
        return new StoredModel(name, file, new TreeMap<>(java.util.Map.of(1L, file)));
    }

    /** The folder of files that the configuration names: the model's own, or that of its file. */
    Path folder() {
        Path parent = isFile() ? place.toAbsolutePath().getParent() : place;
        return parent == null ? place : parent;
    }

    boolean isFile() {
        return !Files.isDirectory(place);
    }

    /** Returns what changes whenever a file of this version, or one beside the versions, changes. */
    String state(long version) {
        if (isFile()) {
            return state(List.of(place));
        }
        Path folder = versions.get(version);
        try (Stream<Path> own = folder == null ? Stream.empty() : Files.walk(folder)) {
            return state(Stream.concat(
                            own,
                            entries(place).stream()
                                    .filter(each -> !VERSION.matcher(
                                                    each.getFileName().toString())
                                            .matches()))
                    .toList());
        } catch (IOException e) {
            throw unreadable(place, e);
        }
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
