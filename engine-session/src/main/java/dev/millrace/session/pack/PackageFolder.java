package dev.millrace.session.pack;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folder of a package, which no name in its manifest leads out of. A name is the path of a file, or {@code sha256:} with
 * the digest of an asset, which lies in the folder {@value #ASSETS} under its digest.
 */
final class PackageFolder {
    private static final String ASSETS = "assets";
    private static final Pattern DIGEST = Pattern.compile("sha256:([0-9a-f]{64})(?:/(.+))?");

    private final Path folder;

    PackageFolder(Path folder) {
        this.folder = folder;
    }

    /**
     * The file that a name stands for.
     *
     * @param base the folder that paths are relative to, in this folder or itself
     */
    Path file(String place, Path base, String name) {
        Matcher asset = DIGEST.matcher(name);
        if (asset.matches()) {
            String digest = asset.group(1);
            String tail = asset.group(2);
            Path file = inside(place, folder, ASSETS + "/" + digest + (tail == null ? "" : "/" + tail));
            checkDigest(place, file, digest);
            return file;
        }
        if (name.startsWith("sha256:")) {
            throw refuse(place, name, "has no digest of 64 hexadecimal digits");
        }
        return inside(place, base, name);
    }

    /** A folder that a name stands for. */
    Path folder(String place, Path base, String name) {
        Path found = located(place, base, name);
        if (!Files.isDirectory(found)) {
            throw refuse(place, name, "is no folder of the package");
        }
        return found;
    }

    private Path inside(String place, Path base, String name) {
        Path found = located(place, base, name);
        if (!Files.isRegularFile(found)) {
            throw refuse(place, name, "is no file of the package");
        }
        return found;
    }

    private Path located(String place, Path base, String name) {
        boolean drive = name.length() > 1 && name.charAt(1) == ':';
        if (name.isEmpty() || name.startsWith("/") || name.indexOf('\\') >= 0 || drive) {
            throw refuse(place, name, "is no relative path with '/' between its parts");
        }
        if (List.of(name.split("/", -1)).contains("..")) {
            throw refuse(place, name, "leads out of the package; it is not to hold '..'");
        }
        try {
            Path found = base.resolve(name);
            if (Files.exists(found) && !found.toRealPath().startsWith(folder.toRealPath())) {
                throw refuse(place, name, "leads out of the package by a symbolic link");
            }
            return found;
        } catch (InvalidPathException e) {
            throw refuse(place, name, "is no path");
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, place + ": '" + name + "' cannot be read: " + e, e);
        }
    }

    private static void checkDigest(String place, Path file, String expected) {
        try (InputStream in = Files.newInputStream(file)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            new DigestInputStream(in, digest).transferTo(OutputStream.nullOutputStream());
            if (!HexFormat.of().formatHex(digest.digest()).equals(expected)) {
                throw EngineException.invalidArgument(
                        place + ": asset " + file + " was changed: its SHA-256 is not the one that it is named by");
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, place + ": asset " + file + " cannot be read: " + e, e);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    private static EngineException refuse(String place, String name, String why) {
        return EngineException.invalidArgument(place + ": '" + name + "' " + why);
    }
}
