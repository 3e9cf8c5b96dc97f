package dev.millrace.epcontext;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the name in a model to the file of a context binary. The name has to stay inside the model's folder, even
 * after symbolic links were followed, and means the same on every system. If the model file itself is a link, the
 * folder of its target counts as its folder, too.
 */
final class ContextPath {
    /** The attribute that names a context binary. */
    static final String BINARY = "ep_cache_context";

    /** The attribute that names the model that a context model was made from. */
    static final String SOURCE_MODEL = "onnx_model_filename";

    private final String attribute;

    private ContextPath(String attribute) {
        this.attribute = attribute;
    }

    /**
     * Returns the file that an attribute names.
     *
     * @param location the model's file, or another in the folder that its names are relative to; null if there is none
     */
    static Path locate(String attribute, String name, @Nullable Path location) {
        return new ContextPath(attribute).locate(name, location);
    }

    private Path locate(String name, @Nullable Path location) {
        checkName(name);
        if (location == null) {
            throw refuse(
                    name,
                    "requires a model path: the model was read from memory, so set ep.context_file_path"
                            + " (EpContextOptions.filePath) to a path in its folder");
        }
        Path folder = location.toAbsolutePath().getParent();
        if (folder == null) {
            throw refuse(name, "is relative to the folder of " + location + ", which is in none");
        }
        Path file;
        try {
            file = folder.resolve(name.replace('\\', '/'));
        } catch (InvalidPathException e) {
            throw refuse(name, "is no path");
        }
        return confine(name, file, location, folder);
    }

    private void checkName(String name) {
        if (name.isEmpty()) {
            throw refuse(name, "is empty; it must refer to a file");
        }
        if (isAbsolute(name)) {
            throw refuse(name, "is absolute; it is to be relative to the model's folder");
        }
        List<String> parts = List.of(name.replace('\\', '/').split("/", -1));
        if (parts.getLast().isEmpty() || isDots(parts.getLast())) {
            throw refuse(name, "must refer to a file, not to a folder");
        }
        if (parts.contains("..")) {
            throw refuse(name, "escapes model directory; it is not to hold '..'");
        }
    }

    private static boolean isAbsolute(String name) {
        char first = name.charAt(0);
        boolean drive = name.length() > 1 && name.charAt(1) == ':' && Character.isLetter(first);
        return first == '/' || first == '\\' || drive;
    }

    private static boolean isDots(String part) {
        return part.equals(".") || part.equals("..");
    }

    private Path confine(String name, Path file, Path location, Path folder) {
        try {
            Path real = file.toRealPath();
            // usually there is no link on the path, and then none leads out of the folder
            boolean inside = real.equals(file) || real.startsWith(folder.toRealPath());
            if (!inside && Files.isSymbolicLink(location)) {
                Path target = location.toRealPath().getParent();
                inside = target != null && real.startsWith(target);
            }
            if (!inside) {
                throw refuse(name, "escapes model directory: a symbolic link leads to " + real);
            }
            if (!Files.isRegularFile(real)) {
                throw refuse(name, "must refer to a file, and " + real + " is none");
            }
            return real;
        } catch (NoSuchFileException e) {
            throw refuse(name, "names " + file + ", which does not exist; keep it beside the model");
        } catch (IOException e) {
            throw new EngineException(Status.INVALID_GRAPH, attribute + " '" + name + "' cannot be read: " + e, e);
        }
    }

    private EngineException refuse(String name, String why) {
        return EngineException.invalidGraph(attribute + " '" + name + "' " + why);
    }
}
