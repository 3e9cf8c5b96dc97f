package dev.millrace.session.modelpackage;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The folder of a package, which no name in its manifest leads out of. A name is a path, or {@code sha256:} with the digest
 * of a shared asset and a path in it. A shared asset is a folder; an asset of one file may also lie in the folder
 * {@value #FILES} under its digest.
 */
final class PackageFolder {
    private static final String SCHEME = "sha256:";
    private static final Pattern DIGEST = Pattern.compile(SCHEME + "([0-9a-f]{64})(?:/(.+))?");
    private static final String FOLDERS = "shared_assets";
    private static final String FILES = "assets";

    private final Path folder;
    private final Map<String, String> placed;
    private final Set<Path> checked = new HashSet<>();

    /** @param placed paths of shared assets that do not lie where they do by default, by {@code sha256:} and their digest */
    PackageFolder(Path folder, Map<String, String> placed) {
        this.folder = folder;
        this.placed = placed;
    }

    /**
     * The file that a name stands for.
     *
     * @param place where the name stands, for messages
     * @param base the folder that paths are relative to, in this folder or itself
     */
    Path file(String place, Path base, String name) {
        Path found = found(place, base, name);
        if (!Files.isRegularFile(found)) {
            throw refuse(place, name, "is no file of the package");
        }
        return found;
    }

    /** The folder that a name stands for. */
    Path folder(String place, Path base, String name) {
        Path found = found(place, base, name);
        if (!Files.isDirectory(found)) {
            throw refuse(place, name, "is no folder of the package");
        }
        return found;
    }

    /** Returns the path that a name stands for, whether a file exists there or not. */
    Path found(String place, Path base, String name) {
        if (!name.startsWith(SCHEME)) {
            return located(place, base, name);
        }
        Matcher asset = DIGEST.matcher(name);
        if (!asset.matches()) {
            throw refuse(place, name, "has no digest of 64 hexadecimal digits");
        }
        return asset(place, asset.group(1), asset.group(2) == null ? "" : asset.group(2));
    }

    private Path asset(String place, String digest, String path) {
        String moved = placed.get(SCHEME + digest);
        Path shared = located(place, folder, moved == null ? FOLDERS + "/sha256-" + digest : moved);
        if (moved != null || Files.isDirectory(shared)) {
            check(place, shared, digest);
            return path.isEmpty() ? shared : located(place, shared, path);
        }
        Path file = located(place, folder, FILES + "/" + digest + (path.isEmpty() ? "" : "/" + path));
        if (!Files.isRegularFile(file)) {
            throw refuse(place, SCHEME + digest, "is no asset of the package");
        }
        check(place, file, digest);
        return file;
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

    /** Throws where an asset is not what its digest says; each is looked at once. */
    private void check(String place, Path asset, String digest) {
        if (!checked.add(asset)) {
            return;
        }
        try {
            String is = Files.isDirectory(asset) ? AssetDigest.ofFolder(asset) : AssetDigest.ofFile(asset);
            if (!is.equals(digest)) {
                throw EngineException.invalidArgument(
                        place + ": asset " + asset + " was changed: its SHA-256 is not the one that it is named by");
            }
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, place + ": asset " + asset + " cannot be read: " + e, e);
        }
    }

    private static EngineException refuse(String place, String name, String why) {
        return EngineException.invalidArgument(place + ": '" + name + "' " + why);
    }
}
