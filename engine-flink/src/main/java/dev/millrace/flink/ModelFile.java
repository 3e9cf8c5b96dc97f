package dev.millrace.flink;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataListener;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Files of models: where they lie, and their digests. */
final class ModelFile {
    /** The start of the name of a file in a job's distributed cache. */
    private static final String CACHE = "cache:";

    private static final int CHUNK = 1 << 16;

    private ModelFile() {}

    /** Whether a place is in a job's distributed cache. */
    static boolean isCached(String place) {
        return place.startsWith(CACHE);
    }

    /**
     * Returns the place of a file.
     *
     * @param place a path, a {@code file:} URI, or {@code cache:NAME}
     * @param cached finds a file of the job's distributed cache
     */
    static Path at(String place, Function<String, File> cached) {
        try {
            if (isCached(place)) {
                return cached.apply(place.substring(CACHE.length())).toPath();
            }
            return place.startsWith("file:") ? Path.of(URI.create(place)) : Path.of(place);
        } catch (IllegalArgumentException e) {
            throw new EngineException(
                    Status.INVALID_ARGUMENT, "'" + place + "' is no path, file: URI or cache: name: " + e, e);
        }
    }

    /**
     * Returns a text that is equal for models with equal contents: the digest of the file, and those of its external data.
     *
     * @param digest the digest of the file
     */
    static String contents(Path file, String digest) {
        var external = new TreeSet<Path>();
        Models.read(file, FileUse.BY_SIZE, new DataListener() {
            @Override
            public void opened(Path data) {
                external.add(data);
            }
        });
        return digest + external.stream().map(ModelFile::digest).collect(Collectors.joining());
    }

    /** Returns the SHA-256 of a file in hexadecimal digits. */
    static String digest(Path file) {
        try (InputStream in = Files.newInputStream(file);
                var digesting = new DigestInputStream(in, MessageDigest.getInstance("SHA-256"))) {
            byte[] chunk = new byte[CHUNK];
            while (digesting.read(chunk) >= 0) {
                // the digest is what is wanted
            }
            return HexFormat.of().formatHex(digesting.getMessageDigest().digest());
        } catch (IOException e) {
            throw new EngineException(
                    Status.NO_SUCH_FILE,
                    "the model " + file
                            + " cannot be read; each task manager needs the file, or the job names it cache:NAME: " + e,
                    e);
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
