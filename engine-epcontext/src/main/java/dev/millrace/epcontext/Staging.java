package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * A hidden folder beside files that are to appear whole or not at all. They are written there under their own names, and
 * moved out in the order in which they were named once all of them are ready. Closing leaves nothing behind of what was
 * not published.
 */
final class Staging implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(Staging.class.getName());

    private final Path target;
    private final Path folder;
    private final Map<Path, Path> targets = new LinkedHashMap<>();

    /** @param first one of the files; the others lie in the same folder */
    Staging(Path first) {
        Path parent = first.toAbsolutePath().getParent();
        if (parent == null) {
            throw EngineException.invalidArgument(first + " is no file that could be written");
        }
        target = parent;
        folder = parent.resolve(".millrace-" + UUID.randomUUID());
        try {
            Files.createDirectory(folder);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "folder " + parent + " cannot be written to: " + e, e);
        }
    }

    /** Where to write what is to become the file {@code name}. A place that nothing is written to is left out later. */
    Path place(String name) {
        Path place = folder.resolve(name);
        if (targets.put(place, target.resolve(name)) != null) {
            throw EngineException.invalidArgument("two of the files to write in " + target + " are called " + name);
        }
        return place;
    }

    /** Moves every file to where it belongs; when one cannot be moved, none stays. */
    void publish() {
        List<Path> published = new ArrayList<>();
        try {
            targets.keySet().removeIf(Files::notExists);
            for (Path place : targets.keySet()) {
                try (FileChannel channel = FileChannel.open(place, StandardOpenOption.WRITE)) {
                    channel.force(true);
                }
            }
            for (Map.Entry<Path, Path> each : targets.entrySet()) {
                Files.move(each.getKey(), each.getValue(), StandardCopyOption.ATOMIC_MOVE);
                published.add(each.getValue());
            }
        } catch (IOException e) {
            published.forEach(Staging::delete);
            throw new EngineException(Status.FAIL, "cannot move what was written into " + target + ": " + e, e);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> left = Files.list(folder)) {
            left.forEach(Staging::delete);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot clear " + folder, e);
        }
        delete(folder);
    }

    /** A file that stays is worth a warning, and not an error that hides the one before it. */
    private static void delete(Path path) {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "cannot remove " + path, e);
        }
    }
}
