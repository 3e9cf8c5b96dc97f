package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a compiled model goes. */
public sealed interface ModelOutput {
    /** To {@code <source>_ctx.onnx} beside the source, which is a file. */
    static ModelOutput besideSource() {
        return new File(null);
    }

    /** To a file. */
    static ModelOutput file(Path file) {
        if (Failures.given(file, "file").toString().isEmpty()) {
            throw EngineException.invalidArgument("Output model path must not be empty.");
        }
        return new File(file);
    }

    /** To memory. */
    static Buffer buffer() {
        return new Buffer();
    }

    /** To a writer, chunk by chunk, as it is made. */
    static ModelOutput chunks(ChunkWriter writer) {
        return new Chunks(Failures.given(writer, "writer"));
    }

    /** Takes a model chunk by chunk. */
    @FunctionalInterface
    interface ChunkWriter {
        /** Takes what remains of {@code chunk}, which is used again afterwards. What it throws ends the compilation. */
        void write(ByteBuffer chunk) throws IOException;
    }

    /**
     * A file.
     *
     * @param file null for the place beside the source
     */
    record File(@Nullable Path file) implements ModelOutput {}

    /** Memory that holds the model that was written to it last. */
    final class Buffer implements ModelOutput {
        private volatile byte @Nullable [] content;

        private Buffer() {}

        /** The bytes of the compiled model; the array is the caller's. */
        public byte[] bytes() {
            byte[] bytes = content;
            if (bytes == null) {
                throw EngineException.invalidArgument("nothing was compiled into this buffer");
            }
            return bytes.clone();
        }

        void set(byte[] bytes) {
            content = bytes;
        }
    }

    /** A writer of chunks. */
    record Chunks(ChunkWriter writer) implements ModelOutput {
        OutputStream stream() {
            return new OutputStream() {
                @Override
                public void write(int single) {
                    write(new byte[] {(byte) single}, 0, 1);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) {
                    try {
                        writer.write(ByteBuffer.wrap(bytes, offset, length).asReadOnlyBuffer());
                    } catch (IOException | RuntimeException e) {
                        throw new EngineException(
                                Status.FAIL,
                                "Caught exception while calling user's write callback: " + e.getMessage(),
                                e);
                    }
                }
            };
        }
    }
}
