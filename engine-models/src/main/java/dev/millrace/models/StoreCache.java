package dev.millrace.models;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one bucket on this machine: contents in {@code blobs}, a folder of links for each set of contents in
 * {@code snapshots}, the snapshots that names led to in {@code refs}, and in {@code mirrors} folders whose links follow the store.
 *
 * @param root the folder of the bucket
 */
record StoreCache(Path root) {
    private static final Pattern ID = Pattern.compile("[0-9a-f]{64}");

    Path blob(String id) {
        return root.resolve("blobs").resolve(id);
    }

    Path lock(String id) {
        return root.resolve("locks").resolve(id + ".lock");
    }

    Path mirror(String prefix) {
        return root.resolve("mirrors").resolve(FileDigest.ofText(prefix));
    }

    /** Returns the folder that shows contents by their paths. The same contents have the same folder. */
    Path snapshot(SortedMap<String, Path> contents) throws IOException {
        var all = new StringBuilder();
        contents.forEach((path, blob) ->
                all.append(path).append('\n').append(blob.getFileName()).append('\n'));
        Path folder = root.resolve("snapshots").resolve(FileDigest.ofText(all.toString()));
        for (Map.Entry<String, Path> each : contents.entrySet()) {
            show(each.getValue(), folder.resolve(each.getKey()));
        }
        return folder;
    }

    /** Shows a content at a place: by a link, or by a copy where the file system has no links. */
    static void show(Path blob, Path place) throws IOException {
        if (Files.exists(place) && (Files.isSameFile(place, blob) || isCopy(blob, place))) {
            return;
        }
        Path folder = Objects.requireNonNull(place.getParent());
        Files.createDirectories(folder);
        Path beside = place.resolveSibling("." + UUID.randomUUID());
        try {
            Files.createSymbolicLink(beside, folder.toRealPath().relativize(blob.toRealPath()));
        } catch (UnsupportedOperationException | FileSystemException e) {
            Files.copy(blob, beside);
        }
        Files.move(beside, place, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static boolean isCopy(Path blob, Path place) throws IOException {
        return !Files.isSymbolicLink(place) && Files.mismatch(blob, place) < 0;
    }

    /** Deletes the files of a folder that are not among these, and folders that are empty then. */
    static void retain(Path folder, Set<Path> files) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(folder)) {
            all = walk.filter(each -> !each.equals(folder)).toList();
        }
        for (Path each : all.reversed()) {
            boolean isFolder = Files.isDirectory(each) && !Files.isSymbolicLink(each);
            if (isFolder ? isEmpty(each) : !files.contains(each)) {
                Files.delete(each);
            }
        }
    }

    private static boolean isEmpty(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.findAny().isEmpty();
        }
    }

    /** Keeps the model that a name leads to. */
    void keep(String name, FetchedModel model) throws IOException {
        Path ref = ref(name);
        Files.createDirectories(Objects.requireNonNull(ref.getParent()));
        Path beside = ref.resolveSibling("." + UUID.randomUUID());
        Files.writeString(beside, root.relativize(model.file()) + "\n" + root.relativize(model.folder()));
        Files.move(beside, ref, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns the model that a name led to when the store was last asked; null if its files are not there. */
    @Nullable
    FetchedModel kept(String name) throws IOException {
        Path ref = ref(name);
        if (!Files.isRegularFile(ref)) {
            return null;
        }
        List<String> lines = Files.readAllLines(ref);
        if (lines.size() != 2 || lines.stream().anyMatch(each -> !isSnapshot(each))) {
            return null;
        }
        Path file = root.resolve(lines.getFirst());
        return Files.exists(file) ? new FetchedModel(file, root.resolve(lines.getLast())) : null;
    }

    private static boolean isSnapshot(String text) {
        String[] parts = text.replace('\\', '/').split("/");
        return parts.length >= 2
                && parts[0].equals("snapshots")
                && ID.matcher(parts[1]).matches()
                && !List.of(parts).contains("..");
    }

    private Path ref(String name) {
        return root.resolve("refs").resolve(FileDigest.ofText(name));
    }
}
