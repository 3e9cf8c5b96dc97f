package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.util.Failures;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The destination of a compiled model. */
public sealed interface ModelOutput {
    /** Returns the file {@code <source>_ctx.onnx} beside the source, which has to be a file. */
    static ModelOutput besideSource() {
        return new File(null);
    }

    /** Returns a file as the destination. */
    static ModelOutput file(Path file) {
        if (Failures.requireArgument(file, "file").toString().isEmpty()) {
            throw EngineException.invalidArgument("Output model path must not be empty.");
        }
        return new File(file);
    }

    /** Returns a destination in memory. */
    static Buffer buffer() {
        return new Buffer();
    }

    /** Returns a destination that passes the model to a writer, chunk by chunk, as it is produced. */
    static ModelOutput chunks(ChunkWriter writer) {
        return new Chunks(Failures.requireArgument(writer, "writer"));
    }

    /** A consumer of a model's bytes, chunk by chunk. */
    @FunctionalInterface
    interface ChunkWriter {
        /**
         * Takes the remaining bytes of {@code chunk}, which is reused afterwards. An exception ends the compilation.
         */
        void write(ByteBuffer chunk) throws IOException;
    }

    /**
     * A file.
     *
     * @param file the path; null for the place beside the source
     */
    record File(@Nullable Path file) implements ModelOutput {}

    /** Memory that holds the model that was last written to it. */
    final class Buffer implements ModelOutput {
        private volatile byte @Nullable [] content;

        private Buffer() {}

        /** Returns a copy of the compiled model's bytes, which belongs to the caller. */
        public byte[] bytes() {
            byte[] bytes = content;
            if (bytes == null) {
                throw EngineException.invalidArgument("nothing was compiled into this buffer");
            }
            return bytes.clone();
        }

        /** Sets the content; the compiler calls it. */
        public void set(byte[] bytes) {
            content = bytes;
        }
    }

    /** A writer of chunks. */
    record Chunks(ChunkWriter writer) implements ModelOutput {
        /** Returns a stream whose writes reach the writer as chunks. */
        public OutputStream stream() {
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
