package dev.millrace.text.json;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads the small files of a model, within the bounds of {@link Json}. */
public final class JsonFile {
    private JsonFile() {}

    /** @param name the name of the file in error messages */
    public static Json read(Path file, String name) {
        return Json.parse(content(file, name), name);
    }

    /** @param name the name of the file in error messages */
    public static byte[] content(Path file, String name) {
        if (!Files.exists(file)) {
            throw new EngineException(Status.NO_SUCH_FILE, name + " cannot be read: there is no such file");
        }
        if (!Files.isRegularFile(file)) {
            throw EngineException.invalidArgument(name + " cannot be read: it is a folder or a device, and no file");
        }
        try (InputStream in = Files.newInputStream(file)) {
            long size = Files.size(file);
            if (size > Json.MOST_BYTES) {
                throw EngineException.invalidArgument(
                        name + " has " + size + " bytes; the largest that is read has " + Json.MOST_BYTES);
            }
            return in.readNBytes(Json.MOST_BYTES);
        } catch (AccessDeniedException e) {
            throw new EngineException(Status.FAIL, name + " cannot be read: access is denied", e);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, name + " cannot be read: " + e, e);
        }
    }
}
