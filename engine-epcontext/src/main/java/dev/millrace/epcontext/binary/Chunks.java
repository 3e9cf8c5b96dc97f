package dev.millrace.epcontext.binary;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.Consumer;
import java.util.zip.CRC32C;

/** Reads memory and files of any size in chunks, for copies, checksums and digests. */
public final class Chunks {
    private static final int SIZE = 1 << 18;
    private static final int PAGE = 4096;

    private Chunks() {}

    /** Takes the first {@code count} bytes of {@code chunk}, which is refilled for the next call. */
    public interface Sink {
        void take(byte[] chunk, int count) throws IOException;
    }

    static void copy(MemorySegment data, Sink sink) throws IOException {
        byte[] chunk = new byte[(int) Math.min(SIZE, data.byteSize())];
        for (long at = 0; at < data.byteSize(); at += chunk.length) {
            int count = (int) Math.min(chunk.length, data.byteSize() - at);
            MemorySegment.copy(data, at, MemorySegment.ofArray(chunk), 0, count);
            sink.take(chunk, count);
        }
    }

    public static byte[] sha256(MemorySegment data) {
        MessageDigest digest = newSha256();
        scan(data, (chunk, count) -> digest.update(chunk, 0, count));
        return digest.digest();
    }

    static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    public static int crc32c(MemorySegment data) {
        var crc = new CRC32C();
        scan(data, (chunk, count) -> crc.update(chunk, 0, count));
        return (int) crc.getValue();
    }

    /** Returns the CRC-32C of a part of a file. */
    public static int crc32c(FileChannel channel, long from, long to) throws IOException {
        var crc = new CRC32C();
        scan(channel, from, to, crc::update);
        return (int) crc.getValue();
    }

    /** Returns the SHA-256 of a part of a file. */
    public static byte[] sha256(FileChannel channel, long from, long to) throws IOException {
        MessageDigest digest = newSha256();
        scan(channel, from, to, digest::update);
        return digest.digest();
    }

    private static void scan(FileChannel channel, long from, long to, Consumer<ByteBuffer> sink) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            ByteBuffer chunk = arena.allocate(SIZE, PAGE).asByteBuffer();
            for (long at = from; at < to; ) {
                chunk.clear().limit((int) Math.min(SIZE, to - at));
                int count = channel.read(chunk, at);
                if (count < 0) {
                    throw new EOFException("the file is shorter than it was");
                }
                sink.accept(chunk.flip());
                at += count;
            }
        }
    }

    /** Passes memory to a sink that does no input or output, chunk by chunk. */
    public static void scan(MemorySegment data, Sink sink) {
        try {
            copy(data, sink);
        } catch (IOException e) {
            throw new UncheckedIOException("a sink without input or output failed", e);
        }
    }
}
