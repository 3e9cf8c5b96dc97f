package dev.millrace.models.packages;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * A package as its registry has it: a jar, or a compressed tar archive with a folder {@code package}.
 *
 * @param source the name of the package, for messages
 */
public record PackageArchive(String source, Path file) {
    /**
     * A file that is wanted of a package.
     *
     * @param path its path in the package
     * @param largest the most bytes that it may have
     * @param sha256 the digest of its content in hex; null if any content will do
     */
    public record Entry(String path, long largest, @Nullable String sha256) {}

    /** Copies a file of the package. It appears under the name {@code to} when it is whole and checked. */
    public void copy(Entry entry, Path to) throws IOException {
        if (file.toString().endsWith(".jar")) {
            try (var jar = new ZipFile(file.toFile())) {
                ZipEntry found = jar.getEntry(entry.path());
                if (found == null) {
                    throw missing(entry);
                }
                try (InputStream content = jar.getInputStream(found)) {
                    keep(content, entry, to);
                }
            }
            return;
        }
        try (var tar = new TarReader(new GZIPInputStream(Files.newInputStream(file)))) {
            if (!tar.seek("package/" + entry.path())) {
                throw missing(entry);
            }
            keep(tar.content(), entry, to);
        }
    }

    private EngineException missing(Entry entry) {
        return new EngineException(Status.NO_SUCH_FILE, "there is no " + entry.path() + " in " + source);
    }

    /** Writes beside, checks, and moves, so that a file is what it should be or not there. */
    private static void keep(InputStream content, Entry entry, Path to) throws IOException {
        Path folder = Objects.requireNonNull(to.toAbsolutePath().getParent());
        Files.createDirectories(folder);
        Path beside = Files.createTempFile(folder, "" + to.getFileName(), ".part");
        try {
            String digest = copy(content, entry, beside);
            if (entry.sha256() != null && !digest.equals(entry.sha256())) {
                throw new IOException(entry.path() + " is not the file that is known under this name: its SHA-256 is "
                        + digest + ", expected " + entry.sha256());
            }
            Files.move(beside, to, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** Copies no more than what is expected, and returns its digest. */
    private static String copy(InputStream content, Entry entry, Path to) throws IOException {
        MessageDigest sha256 = sha256();
        long left = entry.largest();
        byte[] buffer = new byte[1 << 16];
        try (OutputStream out = new DigestOutputStream(Files.newOutputStream(to), sha256)) {
            for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
                left -= count;
                if (left < 0) {
                    throw new IOException(entry.path() + " is larger than its " + entry.largest() + " bytes");
                }
                out.write(buffer, 0, count);
            }
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
