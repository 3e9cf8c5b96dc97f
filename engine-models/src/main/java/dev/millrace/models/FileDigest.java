package dev.millrace.models;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Digests of files, and files that are only pointers to others. */
final class FileDigest {
    private static final int BUFFER = 1 << 16;
    private static final int LARGEST_POINTER = 1024;
    private static final String POINTER = "version https://git-lfs.github.com/spec/";

    private FileDigest() {}

    static String sha256(Path file) throws IOException {
        return digest(algorithm("SHA-256"), file);
    }

    /** Returns the name that Git gives to a content. */
    static String gitBlob(Path file) throws IOException {
        MessageDigest sha1 = algorithm("SHA-1");
        sha1.update(("blob " + Files.size(file) + "\0").getBytes(StandardCharsets.US_ASCII));
        return digest(sha1, file);
    }

    static String ofText(String text) {
        return HexFormat.of().formatHex(algorithm("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static String digest(MessageDigest digest, Path file) throws IOException {
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(file)) {
            for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
                digest.update(buffer, 0, count);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest algorithm(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has " + name, e);
        }
    }

    /** Throws if a file has another digest than it should have, or is a pointer of Git LFS. */
    static void check(Path file, String name, String sha256) throws IOException {
        refusePointer(file, name);
        String actual = sha256(file);
        if (!actual.equals(sha256)) {
            throw new EngineException(
                    Status.FAIL,
                    name + " has another content than expected: its SHA-256 is " + actual + ", and " + sha256
                            + " is wanted");
        }
    }

    /** Throws if a file is a pointer that Git LFS has put in the place of the content. */
    static void refusePointer(Path file, String name) throws IOException {
        if (Files.size(file) <= LARGEST_POINTER
                && new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).startsWith(POINTER)) {
            throw new EngineException(
                    Status.INVALID_PROTOBUF,
                    name + " is a pointer of Git LFS, which stands for the content: fetch the content by"
                            + " 'git lfs pull', or name the model by hf:");
        }
    }
}
