package dev.millrace.epcontext.binary;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HexFormat;

/**
 * A container in a provider's own format, which is written as it is.
 *
 * @param content must not change before it is written
 */
public record OwnImage(MemorySegment content) implements BinaryImage {
    @Override
    public long byteSize() {
        return content.byteSize();
    }

    @Override
    public String digest() {
        return digest(content);
    }

    /** Returns the digest of a container. */
    public static String digest(MemorySegment content) {
        return "sha256:" + HexFormat.of().formatHex(Chunks.sha256(content));
    }

    @Override
    public void writeTo(Path file) {
        try (OutputStream to = new BufferedOutputStream(Files.newOutputStream(file, StandardOpenOption.CREATE_NEW))) {
            writeTo(to);
        } catch (IOException e) {
            throw new EngineException(Status.FAIL, "context binary " + file + " cannot be written: " + e, e);
        }
    }

    @Override
    public void writeTo(OutputStream to) throws IOException {
        Chunks.copy(content, (chunk, count) -> to.write(chunk, 0, count));
    }

    @Override
    public byte[] toBytes() {
        return content.toArray(ValueLayout.JAVA_BYTE);
    }
}
