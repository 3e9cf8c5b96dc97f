package dev.millrace.session.modelpackage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * SHA-256 digests of assets. The digest of a folder is that of a text with a line for each of its files, in the order of
 * their paths: the file's digest, two spaces, and its path in the folder with {@code /} between the parts.
 */
final class AssetDigest {
    private AssetDigest() {}

    /** The digest of a file's content, in lower-case hexadecimal digits. */
    static String ofFile(Path file) throws IOException {
        MessageDigest digest = sha256();
        try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
            in.transferTo(OutputStream.nullOutputStream());
        }
        return hex(digest);
    }

    /** The digest of a folder's files and their paths; an {@link IOException} where one of them is a symbolic link. */
    static String ofFolder(Path folder) throws IOException {
        MessageDigest digest = sha256();
        for (Map.Entry<byte[], Path> each : files(folder).entrySet()) {
            digest.update((ofFile(each.getValue()) + "  ").getBytes(StandardCharsets.US_ASCII));
            digest.update(each.getKey());
            digest.update((byte) '\n');
        }
        return hex(digest);
    }

    private static Map<byte[], Path> files(Path folder) throws IOException {
        var files = new TreeMap<byte[], Path>(Arrays::compareUnsigned);
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : (Iterable<Path>) all::iterator) {
                if (Files.isSymbolicLink(each)) {
                    throw new IOException(each + " is a symbolic link, which no digest covers");
                }
                if (Files.isRegularFile(each)) {
                    String path = folder.relativize(each).toString().replace('\\', '/');
                    files.put(path.getBytes(StandardCharsets.UTF_8), each);
                }
            }
        }
        return files;
    }

    private static String hex(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
