package dev.millrace.epcontext;

import dev.millrace.graph.MappedFile;
import dev.millrace.graph.format.FileMapping;
import dev.millrace.providers.spi.ContextBlob;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A container in a provider's own format, whose content is loaded when it is first asked for. Thread-safe. */
final class OwnContainer implements ContextBlob {
    private final String name;
    private final @Nullable Path path;
    private final Supplier<FileMapping.Content> loader;
    private FileMapping.@Nullable Content content;

    /** @param loader loads the content and checks that it belongs to the model */
    OwnContainer(String name, @Nullable Path path, Supplier<FileMapping.Content> loader) {
        this.name = name;
        this.path = path;
        this.loader = loader;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public @Nullable Path path() {
        return path;
    }

    @Override
    public synchronized MemorySegment bytes() {
        if (content == null) {
            content = loader.get();
        }
        content.check();
        return content.bytes().asReadOnly();
    }

    /** The mapping of its file as a list, which is empty where it is not mapped. */
    synchronized List<MappedFile> watched() {
        return content == null ? List.of() : content.watched();
    }

    @Override
    public InputStream stream() {
        return new Bytes(bytes());
    }

    /** A stream of a segment's bytes. */
    private static final class Bytes extends InputStream {
        private final MemorySegment bytes;
        private long at;

        Bytes(MemorySegment bytes) {
            this.bytes = bytes;
        }

        @Override
        public int read() {
            return at == bytes.byteSize() ? -1 : bytes.get(ValueLayout.JAVA_BYTE, at++) & 0xff;
        }

        @Override
        public int read(byte[] to, int offset, int length) {
            Objects.checkFromIndexSize(offset, length, to.length);
            int count = (int) Math.min(length, bytes.byteSize() - at);
            if (count == 0) {
                return length == 0 ? 0 : -1;
            }
            ByteBuffer.wrap(to, offset, count).put(bytes.asSlice(at, count).asByteBuffer());
            at += count;
            return count;
        }

        @Override
        public int available() {
            return (int) Math.min(Integer.MAX_VALUE, bytes.byteSize() - at);
        }
    }
}
