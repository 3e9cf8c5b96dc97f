package dev.millrace.models;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A repository in the cache that hub clients share: contents in {@code blobs} by their tags, a folder of links for each
 * commit in {@code snapshots}, the commits of branches and tags in {@code refs}, and empty files in {@code .no_exist} for
 * those that a commit does not have.
 *
 * @param root the folder of the cache
 * @param repository the name of the repository, with its owner
 */
record HubCache(Path root, String repository) {
    private static final Pattern COMMIT = Pattern.compile("[0-9a-f]{40}");

    static boolean isCommit(String text) {
        return COMMIT.matcher(text).matches();
    }

    private String folder() {
        return "models--" + repository.replace("/", "--");
    }

    private Path place() {
        return root.resolve(folder());
    }

    Path blob(String tag) {
        return place().resolve("blobs").resolve(tag);
    }

    /**
     * Returns the file of a content that is being downloaded. Clients in other languages have a name of their own for
     * it, and their locks do not exclude the ones here.
     */
    Path partial(String tag) {
        return place().resolve("blobs").resolve(tag + ".millrace.incomplete");
    }

    Path lock(String tag) {
        return root.resolve(".locks").resolve(folder()).resolve(tag + ".millrace.lock");
    }

    Path snapshot(String commit) {
        return place().resolve("snapshots").resolve(commit);
    }

    Path file(String commit, String path) {
        return snapshot(commit).resolve(path);
    }

    /** Returns the commit that a revision led to when it was last looked up; null if it never was. */
    @Nullable
    String commit(String revision) throws IOException {
        if (isCommit(revision)) {
            return revision;
        }
        Path ref = place().resolve("refs").resolve(revision);
        if (!Files.isRegularFile(ref)) {
            return null;
        }
        String commit = Files.readString(ref).strip();
        return isCommit(commit) ? commit : null;
    }

    void keepCommit(String revision, String commit) throws IOException {
        if (isCommit(revision) || commit.equals(commit(revision))) {
            return;
        }
        Path ref = place().resolve("refs").resolve(revision);
        Path beside = beside(ref);
        Files.writeString(beside, commit);
        Files.move(beside, ref, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Whether a commit was asked for a file before, and had none. */
    boolean isAbsent(String commit, String path) {
        return Files.exists(absence(commit, path));
    }

    void keepAbsence(String commit, String path) throws IOException {
        Path mark = absence(commit, path);
        Files.createDirectories(Objects.requireNonNull(mark.getParent()));
        if (!Files.exists(mark)) {
            Files.write(mark, new byte[0]);
        }
    }

    private Path absence(String commit, String path) {
        return place().resolve(".no_exist").resolve(commit).resolve(path);
    }

    /** Puts a content into the snapshot of a commit: as a link, or as a copy where the file system has no links. */
    void show(String tag, String commit, String path) throws IOException {
        Path file = file(commit, path);
        Path blob = blob(tag);
        if (Files.exists(file) && Files.isSameFile(file, blob)) {
            return;
        }
        Path beside = beside(file);
        try {
            Files.createSymbolicLink(
                    beside, Objects.requireNonNull(file.getParent()).relativize(blob));
        } catch (UnsupportedOperationException | FileSystemException e) {
            Files.copy(blob, beside);
        }
        Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static Path beside(Path file) throws IOException {
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        return file.resolveSibling("." + UUID.randomUUID());
    }
}
